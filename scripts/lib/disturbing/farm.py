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
from disturbing.processes import kill_all, processes, waits

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
COORDINATORS, WORKERS = ("first", "second"), ("anna", "ben", "cleo", "dora")


class Member:
    """A coordinator or a worker that is started again whenever it was killed, as systemd would do."""

    def __init__(self, role, name, command, log):
        self.role, self.name, self.command, self.log, self.process = role, name, [str(part) for part in command], log, None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, cwd=self.log.parent)

    def signal(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)


class Farm:
    """All processes of the farm, with their files in one directory."""

    def __init__(self, folder, spool):
        self.folder, self.spool, self.database, self.members = folder, spool, None, {}
        # The farm reaches segments and movies through `shared`. This script reaches them through `behind`, which is never slow.
        self.shared = self.behind = folder / "shared"
        self.file_system = None
        self.clocks = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)
        self.network = Network(["database", *COORDINATORS, *WORKERS])
        self.can_be_full = False

    def prepare(self, kinds, jobs):
        """Prepares everything but the processes. Makes a network and a store of its own only if one of the kinds needs them."""
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
        """Mounts a file system for segments and movies, if this user may."""
        try:
            run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", self.behind])
            self.can_be_full = True
        except Failed:
            pass  # This is reported as skipped.

    def serve(self):
        """Has a process serve the files (FUSE), if this user may and bindfs is there. They hang while it is stopped."""
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
        """The path by which the farm names a file that lies behind."""
        return self.shared / path.relative_to(self.behind)

    def clock(self, name, seconds):
        (self.folder / "clocks" / name).write_text(f"{seconds:+d}\n")

    def timed(self, name, command):
        """The command with a calendar of its own, if libfaketime is there. Clocks that measure spans of time stay right."""
        if not self.clocks:
            return command
        self.clock(name, 0)
        variables = {
            "LD_PRELOAD": self.clocks, "FAKETIME_TIMESTAMP_FILE": self.folder / "clocks" / name, "FAKETIME_CACHE_DURATION": 1,
            "FAKETIME_DONT_FAKE_MONOTONIC": 1}
        # The second env loads the library first, which adds a variable. That makes Swift programs lose their arguments.
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
            # Chunks that were found would not be disturbed while they are rendered.
            "--reuse", "none",
            "--media-root", ROOT / "examples", "--slots", "2", "--stall", "20", "--curve-secret-key", self.folder / "keys" / name,
            "--curve-server-key", self.folder / "keys" / "coordinator.pub", "--parent", os.getpid()]))

    def stranger(self, coordinator, routing_id, what):
        """Starts a peer with a listed key that speaks to a coordinator under any name (stranger.py)."""
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
        return sorted(
            pid for pid, arguments in processes(self.folder) if arguments[1:2] == ["attempt"] and not waits(pid, arguments))

    def segments(self):
        return sorted(path for path in self.store.glob("*/*/*") if path.is_file())

    def stop(self):
        """Stops workers, coordinators, then the database. Returns the names of those that went wrong or had to be killed."""
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
