"""The edits that are rendered, which are small and use synthetic footage and the examples', and the digests of a movie."""

import json
import pathlib

from disturbing.commands import run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
SOURCES = {
    "a.mp4": "-f lavfi -i testsrc2=s=160x90:r=25:d=4 -f lavfi -i sine=f=440:r=44100:d=4 -c:v libx264 -g 12 -bf 2 -qp 10 -c:a aac",
    "b.mp4": "-f lavfi -i mandelbrot=s=192x108:r=30000/1001 -t 4 -c:v libx264 -pix_fmt yuv420p -x264-params open-gop=1:keyint=20 -qp 10",
    "song.wav": "-f lavfi -i aevalsrc='0.4*sin(2*PI*(200+90*t)*t)|0.4*sin(2*PI*(300+50*t)*t)':s=48000:d=4",
}
LOSSLESS = {"fileType": "mkv", "video": {"codec": "ffv1"}, "audio": {"codec": "flac"}}
DELIVERED = {"fileType": "mp4", "video": {"codec": "h264", "crf": 20, "speed": "veryfast"}, "audio": {"codec": "aac"}}


def span(start, duration):
    return {"start": start, "duration": duration}


def synthetic(export, frame_duration, **first_clip):
    """An edit of two seconds: a clip, a dissolve to another of different size and rate, text, and two sounds."""
    return {
        "spool": 1, "assets": {name.split(".")[0]: {"path": name} for name in SOURCES},
        "composition": {"tracks": [
            {"id": "A", "media": "video", "segments": [{"asset": "a", "source": span("0.52", "1.2"), "at": "0", **first_clip}]},
            {"id": "B", "media": "video", "segments": [{"asset": "b", "source": span("1", "1.2"), "at": "0.8"}]},
            {"id": "S", "media": "audio", "segments": [{"asset": "song", "source": span("0.5", "2"), "at": "0"}]},
            {"id": "T", "media": "audio", "segments": [{"asset": "a", "source": span("0.3", "1"), "at": "0.7"}]}]},
        "videoComposition": {"renderSize": [160, 90], "frameDuration": frame_duration, "instructions": [
            {"timeRange": span("0", "0.8"), "layerInstructions": ["A"]},
            {"timeRange": span("0.8", "0.4"), "transition": {
                "kind": "dissolve", "from": {"track": "A"}, "to": {"track": "B", "gravity": "resizeAspect"}}},
            {"timeRange": span("1.2", "0.8"), "layerInstructions": [{"track": "B", "gravity": "resizeAspectFill"}]}]},
        "layers": [{"text": "Spool", "font": "DejaVu Sans", "size": 20, "from": "0.4", "to": "1.4", "opacity": 0.8}],
        "audioMix": [{"track": "S", "volume": [{"at": "0", "value": 0}, {"at": "1", "value": 0.8}]}],
        "export": export}


def write_edits(folder):
    """Writes the footage and the documents, and returns the documents' paths. Examples are among them if their footage is."""
    for name, arguments in SOURCES.items():
        run(["ffmpeg", "-v", "error", "-nostdin", *arguments.replace("'", "").split(), folder / name])
    edits = {
        "plain": synthetic(LOSSLESS, "1/25"),
        "reversed": synthetic(LOSSLESS, "1001/30000", reversed=True),
        "delivered": synthetic(DELIVERED, "1/25"),
    }
    for name in ("lossless", "nested"):
        edit = json.loads((ROOT / "examples" / f"{name}.json").read_text())
        paths = {asset: ROOT / "examples" / facts["path"] for asset, facts in edit["assets"].items()}
        if all(path.exists() for path in paths.values()):
            edit["assets"] = {asset: {"path": str(path)} for asset, path in paths.items()}
            edit["videoComposition"]["renderSize"] = [160, 96]
            edits[name] = {**edit, "export": LOSSLESS}
    for name, edit in edits.items():
        (folder / f"{name}.json").write_text(json.dumps(edit))
    return [folder / f"{name}.json" for name in edits]


def suffix(edit):
    return json.loads(edit.read_text())["export"]["fileType"]


def digests(movie):
    """Each frame's digest, and that of all samples, if there are any, as ffmpeg decodes them."""
    decode = ["ffmpeg", "-v", "error", "-nostdin", "-i", movie]
    frames = [line for line in run([*decode, "-map", "0:v", "-f", "framemd5", "-"]).splitlines() if not line.startswith("#")]
    streams = run([*decode, "-map", "0", "-c:v", "rawvideo", "-c:a", "pcm_s32le", "-f", "streamhash", "-hash", "md5", "-"])
    return frames, [line for line in streams.splitlines() if ",a," in line]
