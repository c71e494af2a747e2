"""What texts, logos, captions and lyrics cost: the measures of layers in scripts/benchmark, which calls them.

A layer's own cost is the processor time of a run with it less that of the same run without it, in pairs. Nothing is encoded on either
side, and both decode the same footage, which is cheap to decode. It is no raw footage: its decoder needs the frames again, as those of
nearly all footage do, so that whoever draws on one copies it first. Ours is that of CompositingBenchmark's thread.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys

JAPANESE = "IPAPGothic"
TITLE = {"text": "はじまりの歌", "font": JAPANESE, "size": 72, "frame": [0, 900, 1920, 120]}
LOGO = {"image": "logo", "frame": [1704, 24, 192, 192], "opacity": 0.9}
# Drawn at once, so that what is not the layer's own weighs less.
COPIES = 8
# The clip that is cheap to decode, and how often it is shown.
CLIP_FRAMES, TIMES = 50, 8


class LayerCosts:
    """The measures. `bench` is scripts/benchmark, with its tools and its sources."""

    def __init__(self, bench):
        self.bench = bench
        self.cache = bench.CACHE

    # --- Edits.

    def edit(self, name, clip, seconds, layers=(), captions=(), times=1, size=(1920, 1080), video=None):
        """Writes an edit of a clip that is shown some times, one after the other, and gives its path."""
        assets = {"clip": {"path": clip}}
        if any("image" in layer for layer in layers):
            assets["logo"] = {"path": "logo.png"}
            shutil.copyfile(self.bench.ROOT / "examples" / "logo.png", self.cache / "logo.png")
        segment = {"asset": "clip", "source": {"start": "0", "duration": str(seconds)}}
        edit = {
            "spool": 1, "assets": assets,
            "composition": {"tracks": [{"id": "A", "media": "video", "segments": [segment] * times}]},
            "videoComposition": {"renderSize": list(size), "frameDuration": "1/25", "color": "bt709"},
            "layers": list(layers), "captions": list(captions),
            "export": {"fileType": "mp4", "video": video or {"codec": "h264", "crf": 20, "speed": "veryfast"}}}
        path = self.cache / f"{name}.json"
        path.write_text(json.dumps(edit, ensure_ascii=False))
        return path

    def cheap_clip(self):
        """Two seconds of footage that are cheap to decode."""
        path = self.cache / "street-cheap.mp4"
        if not path.exists():
            part = path.with_suffix(".part.mp4")
            source = ["-i", self.cache / "street.mp4", "-frames:v", CLIP_FRAMES, "-an"]
            cheap = ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "fastdecode", "-crf", "32", "-g", CLIP_FRAMES]
            self.bench.run(self.bench.ffmpeg(*source, *cheap, part))
            part.rename(path)
        return path

    # --- Costs.

    def added(self, runs, name, layers, peers):
        """The seconds that the layers add to a frame, ours and the peer's: medians of (a run with them less one without), by turns.

        `peers` are the peer's commands with them and without."""
        edits = [
            self.edit(*what, times=TIMES) for what in (
                (name, self.cheap_clip().name, CLIP_FRAMES // 25, layers), ("no-layers", self.cheap_clip().name, CLIP_FRAMES // 25))]

        def ours(edit):
            program = self.bench.SPOOL.parent / "CompositingBenchmark"
            return float(self.bench.run([program, CLIP_FRAMES * TIMES, 8, self.bench.FRAME, "edit", edit]).stdout) / 1e9

        def peer(command):
            return self.bench.processor_time(command) / (CLIP_FRAMES * TIMES)

        return self.bench.paired(
            runs, lambda: ours(edits[0]) - ours(edits[1]), lambda: peer(peers[0]) - peer(peers[1]))

    def filtered(self, *graph, inputs=()):
        """ffmpeg's command for the same, on one thread."""
        threads = ["-threads", 1, "-filter_threads", 1, "-filter_complex_threads", 1]
        source = ["-stream_loop", TIMES - 1, "-i", self.cheap_clip(), *inputs]
        return self.bench.ffmpeg(*threads, *source, "-filter_complex", ";".join(graph), "-map", "[out]", "-f", "null", "-")

    def end_to_end(self, options, name, bound, layers=(), captions=()):
        """A whole render with the layers against one without them: processor time of all processes."""
        edits = [self.edit(f"{name}-{kind}", "street.mp4", 10, *what) for kind, what in (
            ("with", (layers, captions)), ("without", ()))]
        commands = [self.bench.render(edit, self.cache / f"{edit.stem}.mp4") for edit in edits]
        ours, plain = self.bench.paired(
            options.runs, *(lambda command=command: self.bench.processor_time(command) for command in commands))
        return self.bench.Result.ratio_within(name, ours, plain, commands[1], bound)

    # --- Measures.

    def static_title(self, options):
        yield self.end_to_end(options, "static-title", 1.03, [TITLE])
        drawn = ",".join(
            f"drawtext=fontfile={self.bench.FONT}:text={TITLE['text']}:fontsize=72:fontcolor=white:x=(w-tw)/2:y={120 * row}"
            for row in range(COPIES))
        titles = [dict(TITLE, frame=[0, 120 * row, 1920, 120]) for row in range(COPIES)]
        yield from self.alone(options, "static-title-alone", titles, self.filtered(f"[0:v]{drawn}[out]"))

    def static_logo(self, options):
        yield self.end_to_end(options, "static-logo", 1.03, [LOGO])
        shutil.copyfile(self.bench.ROOT / "examples" / "logo.png", self.cache / "logo.png")
        yield from self.logos(options, "static-logo-alone", [tuple(LOGO["frame"][:2])])
        yield from self.logos(options, "static-logos-alone", [(200 * index, 24 + 100 * index) for index in range(COPIES)])

    def logos(self, options, name, places):
        """Logos at these places, against ffmpeg's overlay."""
        graph = [f"[1:v]format=rgba,colorchannelmixer=aa=0.9,format=yuva420p,split={len(places)}"
                 + "".join(f"[logo{index}]" for index in range(len(places)))]
        below = "[0:v]"
        for index, (x, y) in enumerate(places):
            above = "[out]" if index == len(places) - 1 else f"[laid{index}]"
            graph.append(f"{below}[logo{index}]overlay={x}:{y}{above}")
            below = above
        logos = [dict(LOGO, frame=[x, y, 192, 192]) for x, y in places]
        yield from self.alone(options, name, logos, self.filtered(*graph, inputs=["-i", self.cache / "logo.png"]))

    def alone(self, options, name, layers, filtered):
        """The layers' own cost against that of ffmpeg's filters, a frame."""
        ours, peer = self.added(options.runs, name, layers, [filtered, self.filtered("[0:v]null[out]")])
        yield self.bench.Result.ratio_within(name, ours, peer, filtered, 1.0)

    def captions_animated(self, options):
        """A line of six words every two and a half seconds. The word of the moment has a colour, and grows."""
        words = ["Every", "bunny", "wakes", "and", "looks", "around"]
        cues = [
            {"from": f"{2.5 * line}", "to": f"{2.5 * line + 2.4}", "text": " ".join(words), "words": [
                {"at": f"{2.5 * line + 0.4 * index:.1f}", "text": word} for index, word in enumerate(words)]}
            for line in range(4)]
        caption = {
            "cues": cues, "highlight": {"color": "#ffc040", "animation": "emphasize"},
            "style": {"font": "DejaVu Sans", "weight": 700, "size": 72, "outline": {"width": 6, "color": "#000000"}}}
        yield self.end_to_end(options, "captions-animated", 1.1, captions=[caption])

    def sliding_title(self, options):
        """A title that slides over the footage from the left to the right, against melt's text, whose place has keyframes."""
        self.require_melt()
        seconds = CLIP_FRAMES * TIMES / 25
        slide = dict(TITLE, frame=[0, 480, 1000, 120], position=[
            {"at": "0", "value": [-500, 540]}, {"at": f"{seconds:g}", "value": [2420, 540]}])
        last = CLIP_FRAMES * TIMES - 1
        text = [
            "-filter", f"dynamictext:{TITLE['text']}", f"geometry=0=-1000 480 1000 120; {last}=1920 480 1000 120",
            f"family={JAPANESE}", "size=72", "fgcolour=#ffffffff", "bgcolour=#00000000", "halign=center", "valign=middle"]
        raw = ["f=rawvideo", "vcodec=rawvideo", "pix_fmt=yuv420p", "an=1", "real_time=-1", "terminate_on_pause=1"]
        clips = [word for _ in range(TIMES) for word in (str(self.cheap_clip()), "out=" + str(CLIP_FRAMES - 1))]

        def melt(more):
            return ["melt", "-silent", "-profile", "atsc_1080p_25", *clips, *more, "-consumer", "avformat:/dev/null", *raw]

        ours, peer = self.added(min(options.runs, 3), "sliding-title", [slide], [melt(text), melt([])])
        yield self.bench.Result.ratio_within("sliding-title", ours, peer, melt(text), 0.1)

    def lyric_hour(self, options):
        """Lyrics of an hour and of a minute, word by word, over a small video. What a render costs once, which is that of a second, is
        taken off the processor time of both."""
        clip = self.cache / "street-180.mp4"
        if not clip.exists():
            part = clip.with_suffix(".part.mp4")
            self.bench.run(self.bench.ffmpeg(
                "-stream_loop", 5, "-i", self.cache / "street.mp4", "-t", 60, "-an", "-vf", "scale=320:180", *self.bench.X264, part))
            part.rename(clip)
        edits = {seconds: self.lyrics(seconds) for seconds in (1, 60, 3600)}
        # The first render makes the farm, which the others find.
        self.bench.run(self.bench.render(edits[1], self.cache / "lyrics.mp4"))
        times, peaks = {seconds: [] for seconds in edits}, {seconds: [] for seconds in edits}
        for _ in range(min(options.runs, 3)):
            for seconds, edit in edits.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                peaks[seconds].append(self.bench.peak_of_attempts(self.bench.render(edit, self.cache / "lyrics.mp4")))
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                times[seconds].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        second, minute, hour = (statistics.median(times[seconds]) for seconds in (1, 60, 3600))
        command = self.bench.render(edits[60], self.cache / "lyrics.mp4")
        yield self.bench.Result.ratio_within("lyric-hour", (hour - second) / 3599 * 60, (minute - second) / 59 * 60, command, 1.05)
        most = [statistics.median(peaks[seconds]) for seconds in (3600, 60)]
        yield self.bench.Result.ratio_within("lyric-hour-memory", *most, command, 1.05, unit="MiB")

    def lyrics(self, seconds):
        """A lyric video: a line every four seconds, of eight words."""
        def stamp(time):
            return f"{int(time // 60):02}:{time % 60:05.2f}"

        words = "over the hills and far away we go".split()
        lines = []
        for start in range(0, seconds, 4):
            sung = " ".join(f"<{stamp(start + 0.4 * index)}>{word}" for index, word in enumerate(words))
            lines.append(f"[{stamp(start)}]{sung}")
        name = f"lyrics-{seconds}"
        (self.cache / f"{name}.lrc").write_text("\n".join(lines) + "\n")
        caption = {
            "file": f"{name}.lrc", "highlight": {"color": "#ffc040"}, "style": {"font": "DejaVu Sans", "size": 16}}
        cheap = {"codec": "h264", "crf": 28, "speed": "ultrafast"}
        return self.edit(
            name, "street-180.mp4", min(seconds, 60), captions=[caption], times=max(1, seconds // 60), size=(320, 180), video=cheap)

    # --- Peers.

    def require_melt(self):
        """Installs melt, and says so."""
        if shutil.which("melt"):
            return
        as_root = [] if os.getuid() == 0 else ["sudo"]
        if as_root and not shutil.which("sudo"):
            print("error: benchmark: only root can install melt (there is no sudo)", file=sys.stderr)
            sys.exit(69)
        print(f"benchmark: installing{' through sudo' if as_root else ''}: melt", file=sys.stderr, flush=True)
        install = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-q", "-y", "--no-install-recommends", "melt"]
        for command in (["apt-get", "update", "-q"], install):
            subprocess.run([*as_root, *command], check=True, stdout=sys.stderr)
