"""Hosts on one machine."""

import os
import subprocess

from disturbing.commands import Failed, run


class Network:
    """A host for each name (a network namespace), all on one switch, once it is made. Until then all run on this machine."""

    def __init__(self, names):
        self.names, self.prefix, self.is_made = list(names), f"chaos{os.getpid()}", False

    def make(self):
        """Makes the hosts. Does nothing where that is not allowed, or ip (iproute2) or nft (nftables) is missing."""
        try:
            run(["nft", "--version"])
            run(["ip", "netns", "add", self.space("switch")])
        except (Failed, FileNotFoundError):
            return
        self.is_made = True
        self.ip("switch", "link", "add", "switch", "type", "bridge")
        self.ip("switch", "link", "set", "switch", "up")
        for name in self.names:
            run(["ip", "netns", "add", self.space(name)])
            self.ip(name, "link", "add", "eth0", "type", "veth", "peer", "name", f"to-{name}", "netns", self.space("switch"))
            self.ip("switch", "link", "set", f"to-{name}", "master", "switch", "up")
            self.ip(name, "addr", "add", f"{self.address(name)}/24", "dev", "eth0")
            self.ip(name, "link", "set", "eth0", "up")
            self.ip(name, "link", "set", "lo", "up")

    def space(self, name):
        return f"{self.prefix}-{name}"

    def ip(self, name, *arguments):
        run(["ip", "-n", self.space(name), *arguments])

    def address(self, name):
        return f"10.78.0.{self.names.index(name) + 1}"

    def on(self, name, command):
        return ["ip", "netns", "exec", self.space(name), *command] if self.is_made else command

    def cut(self, name):
        """Cuts a host off both ways, like a cable that is pulled. No connection hears of it."""
        self.ip("switch", "link", "set", f"to-{name}", "down")

    def join(self, name):
        self.ip("switch", "link", "set", f"to-{name}", "up")

    def drop(self, name, hook, which=""):
        """Drops packets that arrive (input) or that leave (output): all, or those that `which` describes."""
        face = "iif" if hook == "input" else "oif"
        rule = f"meta {face} != lo {which} drop"
        run(self.on(name, ["nft", f"table inet chaos {{ chain c {{ type filter hook {hook} priority 0; {rule}; }}; }}"]))

    def restore(self, name):
        run(self.on(name, ["nft", "delete", "table", "inet", "chaos"]))

    def remove(self):
        for name in [*self.names, "switch"] if self.is_made else []:
            subprocess.run(["ip", "netns", "del", self.space(name)], stderr=subprocess.DEVNULL, check=False)
