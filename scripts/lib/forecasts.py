"""Submits edits to the farm in SPOOL_DATABASE, one after the other, and compares what it foretells with what happens.

usage: forecasts.py PROGRAM FOLDER [--edits N] [--seed N]; scripts/check-forecasts calls it
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEDIA = ROOT / "examples/media"
# The footage, with the seconds that may be taken of each.
FOOTAGE = {"bunny": ("bigbuckbunny.mp4", 5.0), "bikes": ("bikes.mp4", 9.5), "phone": ("carphone_pristine.mp4", 3.9)}
# The edits from which the farm learns, and the bound of the median errors.
LEARNED, BOUND = 6, 0.15
CODECS = [
    {"codec": "h264", "speed": "veryfast"}, {"codec": "h264", "speed": "medium"}, {"codec": "h264", "speed": "medium", "crf": 17},
    {"codec": "hevc", "speed": "fast"}, {"codec": "prores", "profile": "standard"}, {"codec": "ffv1"},
]


def edit(random):
    """An edit of some clips, joined by cuts or dissolves, with or without a title and music."""
    width, height = random.choice([(640, 360), (1280, 720), (1280, 720), (1920, 1080)])
    names = [random.choice(sorted(FOOTAGE)) for _ in range(random.randint(4, 12))]
    overlap = random.choice([0, 0, 0.5])
    tracks, instructions, at = {"A": [], "B": []}, [], 0.0
    for index, name in enumerate(names):
        length = round(random.uniform(2, FOOTAGE[name][1]) * 25) / 25
        track = "AB"[index % 2]
        tracks[track].append({"asset": name, "source": {"start": "0", "duration": f"{length:.2f}"}, "at": f"{at:.2f}"})
        last = index == len(names) - 1
        begin = at + (overlap if index else 0)
        end = at + length - (0 if last else overlap)
        if index and overlap:
            instructions.append({"timeRange": {"start": f"{at:.2f}", "duration": f"{overlap:.2f}"}, "transition": {
                "kind": "dissolve", "from": {"track": "AB"[(index + 1) % 2], "gravity": "resizeAspectFill"},
                "to": {"track": track, "gravity": "resizeAspectFill"}}})
        instructions.append({"timeRange": {"start": f"{begin:.2f}", "duration": f"{end - begin:.2f}"},
                             "layerInstructions": [{"track": track, "gravity": "resizeAspectFill"}]})
        at = end
    total = at
    document = {
        "spool": 1, "assets": {name: {"path": str(MEDIA / file)} for name, (file, _) in FOOTAGE.items() if name in names},
        "composition": {"tracks": [{"id": id, "media": "video", "segments": segments} for id, segments in tracks.items()]},
        "videoComposition": {"renderSize": [width, height], "frameDuration": "1/25", "color": "bt709", "instructions": instructions},
        "export": {"video": random.choice(CODECS)},
    }
    if random.random() < 0.6:
        document["assets"]["song"] = {"path": str(MEDIA / "song.m4a")}
        document["composition"]["tracks"].append({"id": "music", "media": "audio", "bed": "loop", "segments": [
            {"asset": "song", "source": {"start": "0", "duration": "5"}, "at": "0"}]})
    if random.random() < 0.6:
        document["layers"] = [{"text": "A title that moves", "font": "DejaVu Sans", "size": "8%", "shadow": {"radius": 4}, "position": [
            {"at": "0", "value": [0, height / 2]}, {"at": f"{total:.2f}", "value": [width, height / 2]}], "frame": [0, 0, width / 2, 100]}]
    return document, total


class Farm:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def ask(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"error: check-forecasts: spool {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def measure(self, number, document):
        """Returns the seconds that the plan told, those that passed, and the forecasts: (seconds since submission, seconds left)."""
        path = self.folder / f"edit-{number}.json"
        path.write_text(json.dumps(document))
        ending = "mov" if document["export"]["video"]["codec"] == "prores" else "mkv"
        arguments = [str(path), "-o", str(self.folder / f"edit-{number}.{ending}")]
        plan = json.loads(self.ask("plan", *arguments, "--json"))
        start = time.monotonic()
        job = self.ask("submit", *arguments).split()[0]
        submitted, told = time.monotonic() - start, []
        while True:
            status = json.loads(self.ask("status", job, "--json"))
            status = status.get("job", status)
            now = time.monotonic() - start
            if status["state"] == "done":
                # The examination of the media at submission is no part of what was foretold.
                return plan["seconds"], now - submitted, [(at - submitted, left) for at, left in told]
            if status["state"] in ("failed", "cancelled"):
                raise SystemExit(f"error: check-forecasts: {path}: {status}")
            if status.get("secondsLeft") is not None:
                told.append((now, status["secondsLeft"]))
            time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--edits", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    farm, source = Farm(options.program, options.folder), random.Random(options.seed)
    errors = {"plan": [], "half way": []}
    print(f"{'edit':>4} {'movie s':>8} {'took s':>7} {'planned':>8} {'at half':>8}  what")
    for number in range(options.edits + LEARNED):
        document, length = edit(source)
        planned, took, told = farm.measure(number, document)
        half = min(told, key=lambda forecast: abs(forecast[0] - took / 2), default=None)
        foretold = half and half[0] + half[1]
        video = document["export"]["video"]
        what = f"{document['videoComposition']['renderSize'][1]}p {' '.join(str(value) for value in video.values())}"
        counts = number >= LEARNED
        print(f"{number:>4} {length:8.2f} {took:7.2f} {planned / took - 1:+8.1%} {(foretold or took) / took - 1:+8.1%}  {what}"
              + ("" if counts else "  (learning)"), flush=True)
        if counts:
            errors["plan"].append(abs(planned / took - 1))
            if foretold:
                errors["half way"].append(abs(foretold / took - 1))
    failed = False
    for name, values in errors.items():
        median, worst = statistics.median(values), max(values)
        within = sum(value <= BOUND for value in values)
        print(f"{name}: median error {median:.1%}, worst {worst:.1%}, {within} of {len(values)} within {BOUND:.0%}")
        failed |= median > BOUND
    return failed


if __name__ == "__main__":
    sys.exit(main())
