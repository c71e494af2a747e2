"""What other codecs than H.264 cost: the measures of encoding in scripts/benchmark, which calls them.

Each renders forty seconds of 1080p of the street as they are, on all cores, against one ffmpeg with all of its threads and the same settings of the
same encoder. Copying renders five minutes of them, whose packets are copied, against a render that encodes them.
"""

import os

# The seconds that are encoded. A farm that starts and ends with a render takes half a second, whatever the render's length.
SECONDS = 40
# The settings of an edit's picture, and ffmpeg's of the same; the ending of the movie's name.
CODECS = {
    "hevc": ({"codec": "hevc", "speed": "veryfast", "crf": 23}, "-c:v libx265 -preset veryfast -crf 23 -x265-params log-level=none", "mp4"),
    "av1": ({"codec": "av1", "speed": "veryfast", "crf": 32}, "-c:v libsvtav1 -preset 10 -crf 32 -g 250", "mp4"),
    "vp9": (
        {"codec": "vp9", "speed": "veryfast", "crf": 31},
        f"-c:v libvpx-vp9 -deadline good -cpu-used 5 -crf 31 -b:v 0 -g 250 -row-mt 1 -tile-columns 2 -threads {os.cpu_count()}", "webm"),
    "prores": ({"codec": "prores", "profile": "standard"}, "-c:v prores_ks -profile:v standard -vendor apl0 -pix_fmt yuv422p10le", "mov"),
}


class EncodeCosts:
    """The measures. `bench` is scripts/benchmark, with its tools and its sources."""

    def __init__(self, bench):
        self.bench = bench
        self.cache = bench.CACHE

    def long_street(self):
        """Five minutes of the street, over and over."""
        bench, clip = self.bench, self.cache / "long-street.mp4"
        if not clip.exists():
            part = clip.with_suffix(".part.mp4")
            bench.run(bench.ffmpeg("-stream_loop", 29, "-i", self.cache / "street.mp4", "-c", "copy", part))
            part.rename(clip)
        return clip

    def encodes(self, options):
        bench, clip = self.bench, self.long_street()
        for codec, (settings, words, ending) in CODECS.items():
            span = bench.span(0, SECONDS)
            edit = bench.document(
                f"encode-{codec}", {"A": [("long-street", SECONDS)]}, [{"timeRange": span, "layerInstructions": [{"track": "A"}]}],
                export={"fileType": ending, "video": settings})
            ours, peer = self.cache / f"ours.{ending}", self.cache / f"peer.{ending}"
            command = bench.ffmpeg("-i", clip, "-t", SECONDS, *words.split(), *bench.BT709, peer)
            times = bench.paired(
                min(options.runs, 2), lambda edit=edit, ours=ours: bench.wall(bench.render(edit, ours)),
                lambda command=command: bench.wall(command))
            yield bench.Result.ratio_within(f"encode-{codec}", *times, command, 1.0)

    def copying(self, options):
        bench = self.bench
        self.long_street()
        walls = []
        for copy in ("require", "never"):
            edit = bench.document(
                f"copy-{copy}", {"A": [("long-street", 300)]}, [{"timeRange": bench.span(0, 300), "layerInstructions": [{"track": "A"}]}],
                export={"fileType": "mp4", "video": {"codec": "h264", "crf": 20, "speed": "veryfast", "copy": copy}})
            command = bench.render(edit, self.cache / f"{copy}.mp4")
            walls.append((command, bench.statistics.median(bench.wall(command) for _ in range(options.runs if copy == "require" else 1))))
        (_, copied), (command, encoded) = walls
        yield bench.Result.ratio_within("copying", copied, encoded, command, 1 / 50)
