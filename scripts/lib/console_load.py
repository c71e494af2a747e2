"""Clients and slow readers of a console, for scripts/check-load."""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time

PORT = 7488
# The clients come from several addresses of this machine, as they would from a network.
ADDRESSES = [f"127.0.0.{n}" for n in range(2, 18)]
# The most memory of the console. An idle one has about 30 MiB; each connection has a thread.
MEMORY = 700 << 20
# The longest wait of a client for an answer.
PATIENCE = 30


class Load:
    def __init__(self, jobs):
        self.jobs, self.errors, self.waits, self.events, self.ended = jobs, [], [], 0, 0
        self.is_over = False

    async def connect(self, number, path):
        reader, writer = await asyncio.wait_for(
            asyncio.open_connection("127.0.0.1", PORT, local_addr=(ADDRESSES[number % len(ADDRESSES)], 0), limit=1 << 16), PATIENCE)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\n\r\n".encode())
        await writer.drain()
        return reader, writer

    async def client(self, number, generator):
        """Asks as a page does, every two seconds or so."""
        job = self.jobs[number % len(self.jobs)]
        paths = ["/api/v1/farm", "/api/v1/jobs?limit=100", f"/api/v1/jobs/{job}", f"/api/v1/jobs/{job}/history", "/api/v1/workers",
                 f"/api/v1/why?about={job}", "/", "/console.js", "/api/v1/shares"]
        await asyncio.sleep(generator.random() * 2)
        while not self.is_over:
            path, begin = generator.choice(paths), time.monotonic()
            try:
                reader, writer = await self.connect(number, path)
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
                size = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
                body = await asyncio.wait_for(reader.readexactly(size), PATIENCE)
                writer.close()
                if not head.startswith(b"HTTP/1.1 200"):
                    self.errors.append(f"{path}: {head.splitlines()[0].decode()} {body[:200].decode(errors='replace')}")
                self.waits.append(time.monotonic() - begin)
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, StopIteration) as error:
                self.errors.append(f"{path}: {error!r}")
            await asyncio.sleep(1 + generator.random() * 2)

    async def follower(self, number):
        """Follows the events."""
        while not self.is_over:
            try:
                reader, writer = await self.connect(number, "/api/v1/events")
                while not self.is_over:
                    line = await asyncio.wait_for(reader.readline(), PATIENCE)
                    if not line:
                        self.errors.append("/api/v1/events: it ended")
                        break
                    self.events += line.startswith(b"event:")
                writer.close()
            except (OSError, asyncio.TimeoutError, ValueError) as error:
                # A line may be longer than the reader's limit: it is skipped in pieces.
                if not isinstance(error, ValueError):
                    self.errors.append(f"/api/v1/events: {error!r}")

    async def slow(self, number):
        """Takes a large answer a few bytes at a time. That the server ends it is no error."""
        while not self.is_over:
            try:
                reader, writer = await self.connect(number, f"/api/v1/jobs/{self.jobs[number % len(self.jobs)]}/chunks")
                writer.transport.pause_reading()
                while not self.is_over:
                    writer.transport.resume_reading()
                    piece = await asyncio.wait_for(reader.read(512), PATIENCE)
                    writer.transport.pause_reading()
                    if not piece:
                        break
                    await asyncio.sleep(2)
                writer.close()
            except (OSError, asyncio.TimeoutError, RuntimeError):
                pass
            self.ended += 1
            await asyncio.sleep(1)


def resident(process):
    for line in open(f"/proc/{process}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) << 10
    return 0


async def phase(load, options, seconds, process, seed):
    generator = random.Random(seed)
    load.is_over = False
    tasks = [asyncio.create_task(load.client(n, random.Random(generator.random()))) for n in range(options.clients)]
    tasks += [asyncio.create_task(load.follower(n)) for n in range(options.clients // 5)]
    tasks += [asyncio.create_task(load.slow(n)) for n in range(options.slow)]
    most, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        most = max(most, resident(process))
        await asyncio.sleep(0.5)
    load.is_over = True
    await asyncio.wait(tasks, timeout=3 * PATIENCE)
    for task in tasks:
        task.cancel()
    return most


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--clients", type=int, default=500)
    parser.add_argument("--slow", type=int, default=200)
    options = parser.parse_args()
    farm = subprocess.Popen([f"{options.folder}/FarmLoad", "steady"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    console = None
    try:
        opening = json.loads(farm.stdout.readline())
        console = subprocess.Popen(
            [f"{options.folder}/spool", "console", "--listen", f"127.0.0.1:{PORT}", "--containment", "none", "--database", opening["database"]],
            stderr=subprocess.DEVNULL)
        for _ in range(100):
            if subprocess.run([f"{options.folder}/spool", "health", str(PORT)], capture_output=True).returncode == 0:
                break
            time.sleep(0.1)

        def reading(name):
            farm.stdin.write(name + "\n")
            farm.stdin.flush()
            return json.loads(farm.stdout.readline())

        load, readings, most, pairs = Load(opening["jobs"]), {"without": [], "with": []}, [], 3
        each = max(5, options.seconds // pairs)
        time.sleep(5)
        reading("warm")
        for pair in range(pairs):
            time.sleep(each)
            readings["without"].append(reading("without"))
            most.append(asyncio.run(phase(load, options, each, console.pid, pair)))
            readings["with"].append(reading("with"))
        usual, loaded = (sorted(each["p99"] for each in readings[name])[pairs // 2] for name in ("without", "with"))
        waits = sorted(load.waits) or [0]
        print(f"{options.clients} clients, {options.slow} slow readers, {each * pairs} s of load: {len(load.waits)} answers, {load.events} events, "
              f"{load.ended} slow readings ended, {len(load.errors)} errors")
        print(f"answers: median {waits[len(waits) // 2] * 1000:.0f} ms, 99 % within {waits[len(waits) * 99 // 100] * 1000:.0f} ms, "
              f"longest {waits[-1] * 1000:.0f} ms")
        print(f"the console's memory: at most {' '.join(f'{bytes / 1048576:.0f}' for bytes in most)} MiB in the turns")
        print(f"dispatch p99: {usual:.1f} ms without, {loaded:.1f} ms with (medians of {pairs} turns each: "
              f"{[each['p99'] for each in readings['without']]} and {[each['p99'] for each in readings['with']]})")
        faults = list(dict.fromkeys(load.errors))[:10]
        if max(most) > MEMORY:
            faults.append(f"the console has {max(most) >> 20} MiB of memory")
        if console.poll() is not None:
            faults.append(f"the console ended: {console.returncode}")
        if not load.waits:
            faults.append("nobody got an answer")
        # The clients of this check and the console take their share of the processor, which a farm's own machine has for itself.
        if loaded > 2 * usual + 50:
            faults.append(f"work is given out later: after {loaded:.0f} ms instead of {usual:.0f} ms")
        for fault in faults:
            print(f"error: check-load: {fault}", file=sys.stderr)
        return 1 if faults else 0
    finally:
        if console:
            console.terminate()
        farm.stdin.close()
        try:
            farm.wait(60)
        except subprocess.TimeoutExpired:
            farm.kill()


sys.exit(main())
