"""A PostgreSQL cluster of our own."""

import glob
import os
import pwd
import shutil
import subprocess
import time

from disturbing.commands import Failed, run
from disturbing.processes import kill_all


class Database:
    """A PostgreSQL cluster. The script uses its socket, whatever becomes of the network."""

    def __init__(self, folder, network):
        self.folder, self.network, self.process = folder, network, None
        is_root = os.geteuid() == 0
        self.disguise = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if is_root else []
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[-2]))[-1]
        self.user = "postgres" if is_root else pwd.getpwuid(os.geteuid()).pw_name
        folder.mkdir()
        if is_root:
            shutil.chown(folder, "postgres")
        initdb = [f"{self.bin}/initdb", "-D", folder / "cluster", "-A", "trust", "-U", self.user, "--no-sync"]
        run([*self.disguise, *initdb], cwd="/")
        with open(folder / "cluster" / "pg_hba.conf", "a") as rules:
            rules.write("host all all 10.78.0.0/24 trust\n")
        self.url = f"postgresql://{self.user}@/spool?host={folder}"
        self.remote = f"postgresql://{self.user}@{network.address('database')}/spool" if network.is_made else self.url

    def start(self):
        # When a server dies, its processes that wait for one another stay, and hold its memory. They are killed, as systemd does.
        kill_all(self.folder / "cluster")
        listen = self.network.address("database") if self.network.is_made else ""
        command = [f"{self.bin}/postgres", "-D", self.folder / "cluster", "-k", self.folder, "-h", listen]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                self.network.on("database", [*self.disguise, *map(str, command)]), stdout=log, stderr=log, cwd="/")

    def create(self):
        self.start()
        limit = time.monotonic() + 60
        while True:
            try:
                return run([f"{self.bin}/createdb", "-h", self.folder, "-U", self.user, "spool"])
            except Failed:
                if time.monotonic() > limit:
                    raise
                time.sleep(0.1)

    def rows(self, query):
        """The fields of each row, as psql prints them. Throws while the database is away."""
        return [line.split("|") for line in run(["psql", self.url, "-At", "-c", query]).splitlines()]
