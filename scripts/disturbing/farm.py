"""The farm: its processes, their files, and what is left of them."""

import os
import pathlib
import shutil
import signal
import subprocess

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
        self.shared = folder / "shared"
        self.store, self.output = self.shared / "store", self.shared / "output"
        self.network = Network(["database", *COORDINATORS, *WORKERS])
        self.can_be_full = False

    def prepare(self, kinds, jobs):
        """Everything but the processes; a network and a store of its own only if one of the kinds needs it."""
        folder = self.folder
        for name in ("media", "movies", "keys", "logs", "shared"):
            (folder / name).mkdir()
        if "fill-store" in kinds:
            self.mount(64 + 4 * jobs)
        self.store.mkdir()
        self.output.mkdir()
        if any(kind.endswith("-host") for kind in kinds):
            self.network.make()
        self.database = Database(folder / "database", self.network)
        logs = folder / "logs"
        self.members = {name: Member("coordinator", name, self.coordinator(name), logs / name) for name in COORDINATORS}
        (folder / "keys" / "authorized").write_text("".join(self.key(name) for name in WORKERS))
        self.members |= {name: Member("worker", name, self.worker(name), logs / name) for name in WORKERS}

    def mount(self, megabytes):
        """A file system of its own for segments and movies. Not everybody may."""
        try:
            run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", self.shared])
            self.can_be_full = True
        except Failed:
            pass  # Reported as skipped.

    def key(self, name):
        return run([self.spool, "keys", "--name", name, self.folder / "keys" / name])

    def endpoint(self, name):
        return f"tcp://{self.network.address(name)}:7400" if self.network.is_made else f"ipc://{self.folder}/{name}"

    def coordinator(self, name):
        # Clients may go to either: both have one key.
        secret = self.folder / "keys" / "coordinator"
        if not secret.exists():
            (self.folder / "keys" / "coordinator.pub").write_text(self.key("coordinator"))
        return self.network.on(name, [
            self.spool, "coordinator", "--name", name, "--database", self.database.remote, "--endpoint", self.endpoint(name),
            "--curve-secret-key", secret, "--authorized-keys", self.folder / "keys" / "authorized", "--parent", os.getpid()])

    def worker(self, name):
        doors = [word for coordinator in COORDINATORS for word in ("--connect", self.endpoint(coordinator))]
        return self.network.on(name, [
            self.spool, "worker", "--name", name, *doors, "--store", self.store, "--media-root", self.folder / "media",
            "--media-root", ROOT / "examples", "--slots", "2", "--stall", "20", "--curve-secret-key", self.folder / "keys" / name,
            "--curve-server-key", self.folder / "keys" / "coordinator.pub", "--parent", os.getpid()])

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
        return wrong

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
        self.network.remove()
        if self.can_be_full:
            if keeps:
                shutil.copytree(self.shared, self.folder / "kept", ignore=shutil.ignore_patterns("ballast"))
            run(["umount", "-l", self.shared])
        if not keeps:
            shutil.rmtree(self.folder)
