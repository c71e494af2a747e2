"""Looks at the frames beside joints in headless Chromium, for scripts/check-copies."""

import functools
import http.server
import os
import subprocess
import threading

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service

# The size at which pictures are compared, and the bytes of one.
SIZE = (160, 90)
BYTES = SIZE[0] * SIZE[1] * 3

PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><video id="v" muted></video><script>
const v = document.getElementById("v");
const once = (name) => new Promise((done, failed) => {
  v.addEventListener(name, done, {once: true});
  v.addEventListener("error", () => failed(v.error?.message ?? "the element failed"), {once: true});
});
window.load = async (url) => { const loaded = once("loadeddata"); v.src = url; await loaded; return v.duration; };
// The picture that is shown at a time, small, as hexadecimal digits of its RGB samples.
window.picture = async (time, width, height) => {
  const shown = new Promise((done) => v.requestVideoFrameCallback((_, facts) => done(facts.mediaTime)));
  const sought = once("seeked");
  v.currentTime = time;
  await sought;
  // A frame that is shown already is not shown again.
  await Promise.race([shown, new Promise((done) => setTimeout(done, 300))]);
  const canvas = new OffscreenCanvas(width, height), context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(v, 0, 0, width, height);
  const data = context.getImageData(0, 0, width, height).data;
  let hex = "";
  for (let i = 0; i < data.length; i++) if (i % 4 < 3) hex += data[i].toString(16).padStart(2, "0");
  return hex;
};
// Plays for some seconds from a time on, and tells what was seen.
window.play = async (from, seconds) => {
  const sought = once("seeked");
  v.currentTime = from;
  await sought;
  const seen = {late: 0, stalls: 0};
  let last = -1, isOver = false;
  const look = (_, facts) => { if (facts.mediaTime < last) seen.late += 1; last = facts.mediaTime; if (!isOver) v.requestVideoFrameCallback(look); };
  v.requestVideoFrameCallback(look);
  const wait = () => { if (!v.ended) seen.stalls += 1; };
  await v.play();
  v.addEventListener("waiting", wait);
  await Promise.race([new Promise((done) => setTimeout(done, seconds * 1000)), once("ended")]);
  isOver = true;
  v.removeEventListener("waiting", wait);
  v.pause();
  return {...seen, last, corrupted: v.getVideoPlaybackQuality().corruptedVideoFrames};
};
window.isReady = true;
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a page and the files of a folder, also parts of them, which seeking needs."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/":
            data, status, kind, more = PAGE.encode(), 200, "text/html; charset=utf-8", {}
        else:
            path = self.translate_path(self.path)
            if not os.path.isfile(path):
                return self.send_error(404)
            size = os.path.getsize(path)
            first, _, last = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
            first, last = int(first or 0), min(int(last) if last else size - 1, size - 1)
            with open(path, "rb") as file:
                file.seek(first)
                data = file.read(last - first + 1)
            status, kind, more = 206, "video/mp4", {"Content-Range": f"bytes {first}-{last}/{size}", "Accept-Ranges": "bytes"}
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), "Cache-Control": "no-store", **more}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(data)
        except ConnectionError:
            pass  # The browser has what it wanted.

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A browser ends a connection where it likes."""


class JointsInBrowser:
    """A browser that shows movies of a folder."""

    def __init__(self, folder):
        self.folder, self.looked = folder, 0
        self.server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--autoplay-policy=no-user-gesture-required", "--mute-audio"):
            options.add_argument(flag)
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(60)

    def close(self):
        self.driver.quit()
        self.server.shutdown()

    def call(self, script, *arguments):
        return self.driver.execute_async_script(
            f"const done = arguments[arguments.length - 1]; {script}(...[...arguments].slice(0, -1)).then(done, (e) => done({{fault: `${{e}}`}}))",
            *arguments)

    def pictures(self, movie, indices, matrix):
        """The frames of these numbers as FFmpeg decodes them, small, as RGB."""
        choice = "+".join(f"eq(n\\,{index})" for index in indices)
        done = subprocess.run(
            ["ffmpeg", "-v", "error", "-nostdin", "-i", os.path.join(self.folder, movie), "-map", "0:v:0", "-vsync", "passthrough", "-vf",
             f"select={choice},scale={SIZE[0]}:{SIZE[1]}:flags=area:in_color_matrix={matrix}", "-pix_fmt", "rgb24", "-f", "rawvideo", "-"],
            capture_output=True, check=True).stdout
        return {index: done[at * BYTES:(at + 1) * BYTES] for at, index in enumerate(indices)}

    def faults(self, movie, rate, count, joints, matrix):
        """What is wrong about the frames beside joints: each must be the picture that FFmpeg decodes, and playing over a joint must not halt.

        A browser's colours differ by a little, so that a picture may differ by four levels in the mean, and no more than the pictures before and
        behind it.
        """
        self.driver.get(f"http://127.0.0.1:{self.server.server_address[1]}/")
        length = self.call("load", f"/{movie}")
        if isinstance(length, dict):
            return None if "not supported" in length["fault"].lower() else [length["fault"]]
        found = []
        beside = sorted({index for joint in joints for index in range(joint - 2, joint + 2) if 0 <= index < count})
        wanted = sorted({near for index in beside for near in (index - 1, index, index + 1) if 0 <= near < count})
        pictures = self.pictures(movie, wanted, matrix)
        for index in beside:
            shown = self.call("picture", (index + 0.5) / rate, *SIZE)
            if isinstance(shown, dict):
                found.append(f"frame {index} is not shown: {shown['fault']}")
                continue
            shown = bytes.fromhex(shown)
            self.looked += 1
            distance = {near: sum(map(abs, map(int.__sub__, shown, pictures[near]))) / BYTES for near in (index - 1, index, index + 1) if near in pictures}
            if distance[index] > 4 or distance[index] > min(distance.values()) + 0.5:
                found.append(f"frame {index} is shown as another picture: {', '.join(f'{near}: {value:.1f}' for near, value in distance.items())}")
        for joint in joints:
            try:
                seen = self.call("play", max(0, joint / rate - 0.7), 1.4)
            except WebDriverException as error:
                found.append(f"playing over frame {joint}: {error.msg.splitlines()[0]}")
                continue
            if "fault" in seen or seen["stalls"] or seen["late"] or seen["corrupted"] or seen["last"] < joint / rate - 0.1:
                found.append(f"playing over frame {joint}: {seen}")
        return found
