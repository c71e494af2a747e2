#!/usr/bin/python3
"""Writes examples/thousand.json: a thousand clips of one frame each, from six files by turns, each file played on and on.

usage: examples/thousand.py
"""

import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
# With their lengths in frames of 1/25 s.
FILES = {"bikes": 250, "bigbuckbunny": 132, "carphone_pristine": 100, "steady": 100, "open": 100, "edited": 75}
CLIPS = 1000


def segment(index):
    name = list(FILES)[index % len(FILES)]
    frame = index // len(FILES) % FILES[name]
    return {"asset": name, "source": {"start": f"{frame}/25", "duration": "1/25"}}


assets = {name: {"path": f"media/{name}.mp4"} for name in FILES} | {"song": {"path": "media/song.m4a"}}
video = {
    "renderSize": [320, 180], "frameDuration": "1/25", "color": "bt709",
    "instructions": [{
        "timeRange": {"start": "0", "duration": f"{CLIPS}/25"}, "layerInstructions": [{"track": "V", "gravity": "resizeAspectFill"}]}]}
segments = ",\n".join(f"      {json.dumps(segment(index))}" for index in range(CLIPS))
(HERE / "thousand.json").write_text(f"""{{
  "spool": 1,
  "assets": {json.dumps(assets)},
  "composition": {{"tracks": [
    {{"id": "V", "media": "video", "segments": [
{segments}]}},
    {{"id": "music", "media": "audio", "bed": "loop", "segments": [
      {{"asset": "song", "source": {{"start": "0", "duration": "13"}}}}]}}]}},
  "videoComposition": {json.dumps(video)},
  "export": {{"preset": "low"}}
}}
""")
