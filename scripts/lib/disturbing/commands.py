"""Commands that are run to their end."""

import subprocess


class Failed(Exception):
    """The failure of a command, with what it said."""


def run(command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout
