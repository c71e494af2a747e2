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


def waits(pid, arguments):
    """Whether a process is an attempt's that has no order yet (decision 0260). It closes the socket as soon as it has one."""
    if "--order" not in arguments[:-1]:
        return False
    try:
        return os.readlink(f"/proc/{pid}/fd/{arguments[arguments.index('--order') + 1]}").startswith("socket:")
    except OSError:
        return False


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
