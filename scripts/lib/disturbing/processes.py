"""Processes of this machine, as /proc tells them."""

import os
import pathlib
import signal


def processes(folder):
    """The ids and arguments of all other processes that run in a folder or name it."""
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            here = os.readlink(f"/proc/{entry.name}/cwd").startswith(str(folder))
            arguments = pathlib.Path(f"/proc/{entry.name}/cmdline").read_bytes().decode(errors="replace").split("\0")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # The process has ended meanwhile, or is another user's.
        if here or str(folder) in " ".join(arguments):
            yield int(entry.name), arguments


def send(pid, number):
    """Sends a signal, and returns whether there was such a process."""
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def kill_all(folder):
    for pid, _ in list(processes(folder)):
        send(pid, signal.SIGKILL)
