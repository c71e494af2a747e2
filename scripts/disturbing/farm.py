"""The farm: its processes, their files, and what is left of them."""

import glob
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from disturbing.commands import Failed, run
from disturbing.database import Database
from disturbing.network import Network
from disturbing.processes import kill_all, processes

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COORDINATORS, WORKERS = ("first", "second"), ("anna", "ben", "cleo", "dora")


class Member:
    """A coordinator or a worker that is started again whenever it was killed, as by systemd."""

    def __init__(self, role, name, command, log):
        self.role, self.name, self.command, self.log, self.process = role, name, [str(part) for part in command], log, None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, cwd=self.log.parent)

    def signal(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)


class Farm:
    """All processes, in one directory."""

    def __init__(self, folder, spool):
        self.folder, self.spool, self.database, self.members = folder, spool, None, {}
        # The farm's way to segments and movies, and this script's own way, which is never slow.
        self.shared = self.behind = folder / "shared"
        self.file_system = None
        self.clocks = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)
        self.network = Network(["database", *COORDINATORS, *WORKERS])
        self.can_be_full = False

    def prepare(self, kinds, jobs):
        """Everything but the processes; a network and a store of its own only if one of the kinds needs it."""
        folder = self.folder
        for name in ("media", "movies", "keys", "logs", "shared", "behind", "clocks"):
            (folder / name).mkdir()
        if kinds & {"slow-store", "stall-store"}:
            self.behind = folder / "behind"
        if "fill-store" in kinds:
            self.mount(64 + 4 * jobs)
        self.store, self.output = self.behind / "store", self.behind / "output"
        self.store.mkdir()
        self.output.mkdir()
        if self.behind != self.shared:
            self.serve()
        if "skew-clock" not in kinds:
            self.clocks = None
        if any(kind.endswith("-host") for kind in kinds):
            self.network.make()
        self.database = Database(folder / "database", self.network)
        logs = folder / "logs"
        self.members = {name: Member("coordinator", name, self.coordinator(name), logs / name) for name in COORDINATORS}
        lines = {name: self.key(name) for name in (*WORKERS, "stranger")}
        (folder / "keys" / "authorized").write_text("".join(lines.values()))
        (folder / "keys" / "stranger.pub").write_text(lines["stranger"])
        self.members |= {name: Member("worker", name, self.worker(name), logs / name) for name in WORKERS}

    def mount(self, megabytes):
        """A file system of its own for segments and movies. Not everybody may."""
        try:
            run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", self.behind])
            self.can_be_full = True
        except Failed:
            pass  # This is reported as skipped.

    def serve(self):
        """A file system that a process of ours serves (FUSE): stopped, it hangs. Not everybody may, or has bindfs."""
        command = ["bindfs", "-f", "-o", "attr_timeout=0,entry_timeout=0", self.behind, self.shared]
        try:
            self.file_system = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd="/")
        except FileNotFoundError:
            pass
        while self.file_system and not os.path.ismount(self.shared):
            if self.file_system.poll() is not None:
                self.file_system = None
            time.sleep(0.02)
        if not self.file_system:  # This is reported as skipped.
            self.shared = self.behind

    def shared_path(self, path):
        """As the farm names what lies behind."""
        return self.shared / path.relative_to(self.behind)

    def clock(self, name, seconds):
        (self.folder / "clocks" / name).write_text(f"{seconds:+d}\n")

    def timed(self, name, command):
        """With a clock of its own, if there are any: the calendar's, not those that measure how long something takes."""
        if not self.clocks:
            return command
        self.clock(name, 0)
        variables = {
            "LD_PRELOAD": self.clocks, "FAKETIME_TIMESTAMP_FILE": self.folder / "clocks" / name, "FAKETIME_CACHE_DURATION": 1,
            "FAKETIME_DONT_FAKE_MONOTONIC": 1}
        # The second env loads the library first, which adds a variable. Swift programs lose their arguments when that happens in them.
        return ["env", *(f"{key}={value}" for key, value in variables.items()), "env", *command]

    def key(self, name):
        return run([self.spool, "keys", "--name", name, self.folder / "keys" / name])

    def endpoint(self, name):
        return f"tcp://{self.network.address(name)}:7400" if self.network.is_made else f"ipc://{self.folder}/{name}"

    def coordinator(self, name):
        # Clients may connect to either coordinator, so both have one key.
        secret = self.folder / "keys" / "coordinator"
        if not secret.exists():
            (self.folder / "keys" / "coordinator.pub").write_text(self.key("coordinator"))
        return self.network.on(name, self.timed(name, [
            self.spool, "coordinator", "--name", name, "--database", self.database.remote, "--endpoint", self.endpoint(name),
            "--curve-secret-key", secret, "--authorized-keys", self.folder / "keys" / "authorized", "--parent", os.getpid()]))

    def worker(self, name):
        doors = [word for coordinator in COORDINATORS for word in ("--connect", self.endpoint(coordinator))]
        return self.network.on(name, self.timed(name, [
            self.spool, "worker", "--name", name, *doors, "--store", self.shared_path(self.store), "--media-root", self.folder / "media",
            "--media-root", ROOT / "examples", "--slots", "2", "--stall", "20", "--curve-secret-key", self.folder / "keys" / name,
            "--curve-server-key", self.folder / "keys" / "coordinator.pub", "--parent", os.getpid()]))

    def stranger(self, coordinator, routing_id, what):
        """A peer with a listed key that speaks to a coordinator under any name (stranger.py)."""
        script = pathlib.Path(__file__).with_name("stranger.py")
        command = [sys.executable, script, self.folder / "keys", "stranger", routing_id, self.endpoint(coordinator), what]
        with open(self.folder / "logs" / "stranger", "ab") as log:
            # The stranger runs on a worker's host, where there are hosts.
            return subprocess.Popen([str(part) for part in self.network.on(WORKERS[-1], command)], stdout=log, stderr=log,
                                    cwd=self.folder)

    def start(self):
        self.database.create()
        for member in self.members.values():
            member.start()

    def attempts(self):
        return sorted(pid for pid, arguments in processes(self.folder) if arguments[1:2] == ["attempt"])

    def segments(self):
        return sorted(path for path in self.store.glob("*/*/*") if path.is_file())

    def stop(self):
        """Workers, coordinators, then the database; names of those that had to be killed, or went wrong."""
        wrong = []
        for role in ("worker", "coordinator"):
            members = [member for member in self.members.values() if member.role == role and member.process]
            for member in members:
                member.signal(signal.SIGTERM)
            wrong += [f"{member.name}: {end}" for member in members if (end := self.end(member.process)) != 0]
        if self.database:
            self.database.process.send_signal(signal.SIGINT)
            if (end := self.end(self.database.process)) != 0:
                wrong.append(f"database: {end}")
        self.unmount()
        return wrong

    def unmount(self):
        if self.file_system:
            # The file system may have gone with its server.
            command = ["umount", "-l"] if os.geteuid() == 0 else ["fusermount3", "-uz"]
            subprocess.run([*command, self.shared], stderr=subprocess.DEVNULL, check=False)
            self.file_system.kill()
            self.file_system.wait()
            self.file_system = None

    @staticmethod
    def end(process):
        try:
            return process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return "had to be killed"

    def remove(self, keeps):
        kill_all(self.folder)
        self.unmount()
        self.network.remove()
        if self.can_be_full:
            if keeps:
                shutil.copytree(self.behind, self.folder / "kept", ignore=shutil.ignore_patterns("ballast"))
            run(["umount", "-l", self.behind])
        if not keeps:
            shutil.rmtree(self.folder)
