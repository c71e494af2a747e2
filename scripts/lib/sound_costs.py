"""What long sound costs: the measures of sound in scripts/benchmark, which calls them.

Sources are four pieces of ten minutes, stereo, 48 kHz, 16 bits: the examples' song, and noise and tones beside it, so that no codec finds
silence. An hour plays each six times. Nothing here has a picture, and all that is written goes to the cache.
"""

import json
import os
import pathlib

PIECE, TIMES = 600, 6
VOLUMES = {"music": 0.8, "voice": 0.7, "street": 0.5, "room": 0.3}
GRAPHS = {
    "music": "lowpass=12000", "voice": "highpass=200,tremolo=f=3:d=0.8", "street": "atempo=0.8", "room": "areverse,lowpass=2000"}


class SoundCosts:
    """The measures. `bench` is scripts/benchmark, with its tools and its sources."""

    def __init__(self, bench):
        self.bench = bench
        self.cache = bench.CACHE

    # --- Sources and edits.

    def piece(self, name):
        """Ten minutes of sound, made once."""
        path = self.cache / f"{name}.wav"
        if not path.exists():
            part = path.with_suffix(".part.wav")
            song = ["-stream_loop", -1, "-i", self.bench.MEDIA / "song.m4a"]
            noise = ["-f", "lavfi", "-i", f"anoisesrc=d={PIECE + 60}:r=48000:a=0.02:c=pink:seed={len(name)}"]
            # The times of a song that is looped have gaps, which the file would lack.
            graph = f"[0:a]asetpts=N/SR/TB,atrim=duration={PIECE + 60},{GRAPHS[name]},aformat=channel_layouts=stereo[a];[a][1:a]amix=2:normalize=0"
            self.bench.run(self.bench.ffmpeg(
                *song, *noise, "-filter_complex", graph, "-t", PIECE, "-ar", 48000, "-ac", 2, "-c:a", "pcm_s16le", part))
            part.rename(path)
        return path

    def edit(self, name, tracks, audio, file_type):
        """Writes an edit of tracks (their names, with their volumes) of an hour, and gives its path."""
        segment = {"source": {"start": "0", "duration": str(PIECE)}}
        edit = {
            "spool": 1, "assets": {track: {"path": self.piece(track).name} for track in tracks},
            "composition": {"tracks": [
                {"id": track, "media": "audio", "segments": [{"asset": track, **segment}] * TIMES} for track in tracks]},
            "audioMix": [{"track": track, "volume": volume, "fadeIn": "5", "fadeOut": "5"} for track, volume in tracks.items()],
            "export": {"fileType": file_type, "audio": audio}}
        path = self.cache / f"{name}.json"
        path.write_text(json.dumps(edit))
        return path

    def inputs(self, tracks):
        return [part for track in tracks for part in ("-stream_loop", TIMES - 1, "-i", self.piece(track))]

    def graph(self, tracks):
        hour = PIECE * TIMES
        chains = [
            f"[{index}:a]afade=t=in:d=5,afade=t=out:st={hour - 5}:d=5,volume={volume}[t{index}]"
            for index, volume in enumerate(tracks.values())]
        return ";".join(chains) + ";" + "".join(f"[t{index}]" for index in range(len(tracks))) + f"amix={len(tracks)}:normalize=0[out]"

    # --- Measures.

    def mix_hour(self, options):
        """An hour of four tracks, mixed into PCM: on one core against ffmpeg's amix on the same one; and on all cores against one."""
        bench = self.bench
        path = self.edit("mix-hour", VOLUMES, {"codec": "pcm", "sampleFormat": "int16"}, "wav")
        threads = ["-threads", 1, "-filter_complex_threads", 1]
        command = ["taskset", "-c", "0", *bench.ffmpeg(
            *threads, *self.inputs(VOLUMES), "-filter_complex", self.graph(VOLUMES), "-map", "[out]", "-t", PIECE * TIMES,
            "-c:a", "pcm_s16le", self.cache / "peer.wav")]
        one = ["taskset", "-c", "0", *bench.render(path, self.cache / "ours.wav", "--workers", 1)]
        runs = min(options.runs, 3)
        ours, peer = bench.paired(runs, lambda: bench.wall(one), lambda: bench.wall(command))
        yield bench.Result.ratio_within("mix-hour", ours, peer, command, 1 / 1.5)
        cores = os.cpu_count()
        if cores > 1:
            every = bench.render(path, self.cache / "ours.wav")
            ours, peer = bench.paired(runs, lambda: bench.wall(every), lambda: bench.wall(one))
            yield bench.Result.ratio_within(f"mix-hour-{cores}", ours, peer, one, 1 / (0.75 * cores))
        for name in ("ours.wav", "peer.wav"):
            pathlib.Path(self.cache / name).unlink(missing_ok=True)

    def aac_hour(self, options):
        """An hour of AAC in parts, on all cores, against one ffmpeg, whose encoder has one thread. Four of each 120 s are encoded twice."""
        bench = self.bench
        tracks = {"music": 1}
        path = self.edit("aac-hour", tracks, {"codec": "aac", "bitRate": 192000}, "m4a")
        command = bench.ffmpeg(
            *self.inputs(tracks), "-filter_complex", self.graph(tracks), "-map", "[out]", "-t", PIECE * TIMES, "-c:a", "aac", "-b:a",
            "192k", self.cache / "peer.m4a")
        runs = min(options.runs, 3)
        ours, peer = bench.paired(
            runs, lambda: bench.wall(bench.render(path, self.cache / "ours.m4a")), lambda: bench.wall(command))
        yield bench.Result.ratio_within("aac-hour", ours, peer, command, 1.25 / os.cpu_count())
