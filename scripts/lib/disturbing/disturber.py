"""Disturbs the farm, by a plan that a seed decides."""

import collections
import contextlib
import heapq
import os
import random
import signal
import subprocess
import time

from disturbing.commands import Failed
from disturbing.farm import COORDINATORS, WORKERS
from disturbing.processes import send


class Disturber:
    """Does what the plan says, and undoes it. Each subject is disturbed by one thing at a time, several subjects at once."""

    # Each kind has its frequency relative to the others, and the shortest and longest time in seconds that it lasts.
    KINDS = {
        "kill-attempt": (8, 0, 0), "pause-attempt": (4, 1, 5), "hang-attempt": (1, 0, 0),
        "kill-worker": (4, 0, 3), "pause-worker": (3, 1, 15),
        "kill-coordinator": (4, 0, 8), "pause-coordinator": (3, 1, 12),
        "crash-database": (2, 0, 4), "stop-database": (2, 0, 4), "cut-sessions": (2, 0, 0), "stall-database": (2, 2, 12),
        "double-worker": (3, 3, 4),
        "damage-segment": (3, 0, 0), "lose-segment": (2, 0, 0),
        "fill-store": (2, 1, 3), "stall-store": (2, 1, 12), "slow-store": (3, 3, 15),
        "skew-clock": (4, 5, 30),
        "cut-host": (4, 1, 15), "blink-host": (4, 0, 15), "deafen-host": (2, 1, 12), "mute-host": (2, 1, 12), "lossy-host": (3, 2, 10),
    }

    # Offsets of clocks in seconds: a bad oscillator, a wrong time zone, a dead battery, a wrong century.
    OFFSETS = (-5, 5, -61, 61, -3600, 3600, -40_000_000, 400_000_000)

    def __init__(self, farm, seed, kinds, gap):
        self.farm, self.chance, self.gap = farm, random.Random(seed), gap
        self.kinds, self.skipped = [kind for kind in self.KINDS if kind in kinds], []
        self.begun = self.due = 0.0
        self.undoings, self.busy, self.log, self.count = [], set(), [], collections.Counter()

    def begin(self):
        """Begins the plan now, with a farm that is prepared."""
        self.skipped = [kind for kind in self.kinds if not self.can(kind)]
        self.kinds = [kind for kind in self.kinds if self.can(kind)]
        self.begun = self.due = time.monotonic()

    def can(self, kind):
        farm = self.farm
        if kind.endswith("-host"):
            return farm.network.is_made
        return {"fill-store": farm.can_be_full, "stall-store": farm.file_system, "slow-store": farm.file_system,
                "skew-clock": farm.clocks}.get(kind, True)

    def note(self, text):
        self.log.append(f"{time.monotonic() - self.begun:8.2f} s  {text}")

    def turn(self, disturbs):
        """Undoes what is due, and does the next thing."""
        now = time.monotonic()
        while self.undoings and self.undoings[0][0] <= now:
            _, _, subject, text, undo = heapq.heappop(self.undoings)
            self.busy.discard(subject)
            self.note(text)
            undo()
        if disturbs and now >= self.due:
            self.due = now + self.chance.expovariate(1 / self.gap)
            kind = self.chance.choices(self.kinds, [self.KINDS[kind][0] for kind in self.kinds])[0]
            _, shortest, longest = self.KINDS[kind]
            # Both numbers are drawn even when they are not used, so that the plan does not depend on the machine's speed.
            seconds, choice = self.chance.uniform(shortest, longest), self.chance.random()
            if getattr(self, kind.replace("-", "_"))(seconds, choice):
                self.count[kind] += 1

    def calm(self):
        """Undoes everything, now."""
        for _, _, subject, text, undo in sorted(self.undoings):
            self.note(text)
            undo()
        self.undoings, self.busy = [], set()

    def disturb(self, subject, text, undoing=None, undo=None, seconds=0.0):
        self.note(text)
        if undo:
            self.busy.add(subject)
            heapq.heappush(self.undoings, (time.monotonic() + seconds, len(self.log), subject, undoing, undo))
        return True

    def pick(self, names, choice):
        """One of the names that nothing is being done to; None when there is none."""
        free = [name for name in names if name not in self.busy]
        return free[int(choice * len(free))] if free else None

    def attempt(self, choice, number, text, seconds=None):
        pid = self.pick(self.farm.attempts(), choice)
        if pid is None or not send(pid, number):
            return False
        goes_on = None if seconds is None else lambda: send(pid, signal.SIGCONT)
        return self.disturb(pid, f"attempt {pid}: {text}", f"attempt {pid}: goes on", goes_on, seconds)

    def kill_attempt(self, _, choice):
        return self.attempt(choice, signal.SIGKILL, "killed")

    def hang_attempt(self, _, choice):
        return self.attempt(choice, signal.SIGSTOP, "stopped for good")

    def pause_attempt(self, seconds, choice):
        return self.attempt(choice, signal.SIGSTOP, "stopped", seconds)

    def member(self, names, choice, number, text, seconds):
        name = self.pick(names, choice)
        if name is None:
            return False
        member = self.farm.members[name]
        member.signal(number)
        if number == signal.SIGKILL:
            member.process.wait()
            return self.disturb(name, f"{name}: {text}", f"{name}: started", member.start, seconds)
        return self.disturb(name, f"{name}: {text}", f"{name}: goes on", lambda: member.signal(signal.SIGCONT), seconds)

    def kill_worker(self, seconds, choice):
        return self.member(WORKERS, choice, signal.SIGKILL, "killed", seconds)

    def pause_worker(self, seconds, choice):
        return self.member(WORKERS, choice, signal.SIGSTOP, "stopped", seconds)

    def kill_coordinator(self, seconds, choice):
        return self.member(COORDINATORS, choice, signal.SIGKILL, "killed", seconds)

    def pause_coordinator(self, seconds, choice):
        return self.member(COORDINATORS, choice, signal.SIGSTOP, "stopped", seconds)

    def end_database(self, number, text, seconds):
        if "postgres" in self.busy:
            return False
        database = self.farm.database
        database.process.send_signal(number)
        database.process.wait()
        return self.disturb("postgres", f"database: {text}", "database: started", database.start, seconds)

    def crash_database(self, seconds, _):
        return self.end_database(signal.SIGKILL, "killed", seconds)

    def stop_database(self, seconds, _):
        return self.end_database(signal.SIGQUIT, "stopped at once", seconds)

    def cut_sessions(self, _, __):
        try:
            self.farm.database.rows("select pg_terminate_backend(pid) from pg_stat_activity where application_name ~ '^spool'")
        except Failed:
            return False  # The database is away.
        return self.disturb("postgres", "database: ended all sessions")

    def stall_database(self, seconds, _):
        """Locks what the coordinator asks for. Meanwhile a peer with a key fills its queue at the coordinator, and dies."""
        if "postgres" in self.busy:
            return False
        hold = f"begin; lock table spool.leader in access exclusive mode; select pg_sleep({seconds:.1f})"
        stranger = self.stranger("stranger/1", "fill")
        if stranger is None:
            return False
        lock = subprocess.Popen(["psql", self.farm.database.url, "-qAtc", hold], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, cwd=self.farm.folder)

        def kill():
            stranger.kill()
            stranger.wait()
        self.disturb("stranger", "a stranger floods", "the stranger is dead", kill, seconds / 2)
        return self.disturb("postgres", "database: stands still", "database: goes on", lock.wait, seconds)

    def double_worker(self, seconds, choice):
        """A peer with a key of its own takes a live worker's routing id, twice, and closes."""
        try:
            workers = sorted(self.farm.database.rows("select name, epoch from spool.worker where retired_at is null"))
        except Failed:
            return False  # The database is away.
        routing_id = self.pick(["/".join(row) for row in workers], choice)
        if routing_id is None or (stranger := self.stranger(routing_id, "double")) is None:
            return False

        def end():
            stranger.kill()
            stranger.wait()
        return self.disturb(routing_id, f"{routing_id}: taken by a stranger", f"{routing_id}: the stranger is gone", end, seconds)

    def stranger(self, routing_id, what):
        """Starts a process that talks to the coordinator that leads; None while nobody knows which one leads."""
        try:
            (leader,), = self.farm.database.rows("select coordinator from spool.leader")
        except (Failed, ValueError):
            return None
        return self.farm.stranger(leader, routing_id, what) if leader in COORDINATORS else None

    def damage_segment(self, _, choice):
        segment = self.pick(self.farm.segments(), choice)
        try:
            with open(segment, "r+b") as file:
                middle = os.path.getsize(segment) // 2
                file.seek(middle)
                byte = file.read(1)
                file.seek(middle)
                file.write(bytes([byte[0] ^ 0x40]))
        except (TypeError, FileNotFoundError, IndexError, OSError):
            return False  # There is no segment, or it has gone meanwhile, or it is still empty.
        return self.disturb(segment, f"store: a bit of {segment.relative_to(self.farm.store)} flipped")

    def lose_segment(self, _, choice):
        segment = self.pick(self.farm.segments(), choice)
        if segment is None:
            return False
        segment.unlink(missing_ok=True)
        return self.disturb(segment, f"store: {segment.relative_to(self.farm.store)} lost")

    def fill_store(self, seconds, _):
        ballast = self.farm.behind / "ballast"
        if "store" in self.busy:
            return False
        with open(ballast, "wb", buffering=0) as file, contextlib.suppress(OSError):  # Writing ends when no space is left.
            while True:
                file.write(bytes(1 << 20))
        return self.disturb("store", "store: full", "store: has room", ballast.unlink, seconds)

    def stall_store(self, seconds, _):
        if "store" in self.busy:
            return False
        server = self.farm.file_system
        server.send_signal(signal.SIGSTOP)
        return self.disturb("store", "store: hangs", "store: answers", lambda: server.send_signal(signal.SIGCONT), seconds)

    def slow_store(self, seconds, _):
        """The store does not answer for four fifths of the time."""
        if "store" in self.busy:
            return False
        server = self.farm.file_system
        loop = "while :; do kill -STOP $0; sleep 0.2; kill -CONT $0; sleep 0.05; done"
        brake = subprocess.Popen(["sh", "-c", loop, str(server.pid)], stderr=subprocess.DEVNULL, cwd=self.farm.folder)

        def release():
            brake.kill()
            brake.wait()
            server.send_signal(signal.SIGCONT)
        return self.disturb("store", "store: slow", "store: fast", release, seconds)

    def skew_clock(self, seconds, choice):
        """A coordinator's or a worker's calendar jumps, by seconds or years, and back."""
        name = self.pick([f"clock {name}" for name in self.farm.members], choice)
        if name is None:
            return False
        member = name.removeprefix("clock ")
        offset = self.OFFSETS[int(choice * 1000) % len(self.OFFSETS)]
        self.farm.clock(member, offset)
        return self.disturb(name, f"{name}: {offset:+d} s", f"{name}: right", lambda: self.farm.clock(member, 0), seconds)

    def host(self, choice, text, begin, end, seconds):
        name = self.pick([f"host {name}" for name in self.farm.network.names], choice)
        if name is None:
            return False
        host = name.removeprefix("host ")
        begin(host)
        return self.disturb(name, f"{name}: {text}", f"{name}: whole again", lambda: end(host), seconds)

    def cut_host(self, seconds, choice):
        return self.host(choice, "cut off", self.farm.network.cut, self.farm.network.join, seconds)

    def blink_host(self, _, choice):
        # Multiples of the golden ratio, modulo one, fill the whole span more and more finely.
        seconds = 15 * (self.count["blink-host"] * 0.6180339887 % 1)
        return self.host(choice, f"cut off for {seconds:.2f} s", self.farm.network.cut, self.farm.network.join, seconds)

    def deafen_host(self, seconds, choice):
        return self.lossy(choice, "hears nothing", seconds, "input")

    def mute_host(self, seconds, choice):
        return self.lossy(choice, "is not heard", seconds, "output")

    def lossy_host(self, seconds, choice):
        # Lost packets are sent again, so latencies are some hundred milliseconds and more.
        return self.lossy(choice, "loses 30 % of what arrives", seconds, "input", "numgen random mod 100 < 30")

    def lossy(self, choice, text, seconds, *which):
        network = self.farm.network
        return self.host(choice, text, lambda host: network.drop(host, *which), network.restore, seconds)
