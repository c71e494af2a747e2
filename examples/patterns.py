#!/usr/bin/python3
"""Makes the synthetic clips of the examples in examples/media: pictures that show at a glance whether they are treated right.

usage: examples/patterns.py

turned-1.mp4 ... turned-8.mp4   an F, stored in the eight orientations that a file may name: all must be seen upright
narrow.mp4                      the same F with pixels of 4:3
steady.mp4, variable.mp4, open.mp4, edited.mp4
                                frames that show their number at 25 a second: steadily, with frames missing, in open GOPs,
                                and cut to its second second by an edit list
chart-*.mp4                     the same eight colours in different encodings
highlights.mp4                  hues from dark to 1000 cd/m2, BT.2100 PQ with mastering metadata

What is there already, and newer than this file, is left as it is.
"""

import math
import pathlib
import struct
import subprocess

HERE = pathlib.Path(__file__).resolve()
MEDIA = HERE.parent / "media"
# One thread: the same bytes on every machine.
H264 = ["-c:v", "libx264", "-threads", "1", "-preset", "medium", "-crf", "10"]
BT709 = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"]
TO_BT709 = "scale=in_range=pc:out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+bicubic,format=yuv420p"


def encode(name, size, frames, *arguments, pixels="rgb24", rate=25):
    """Raw frames to examples/media/name, by way of ffmpeg."""
    raw = ["-f", "rawvideo", "-pix_fmt", pixels, "-s", f"{size[0]}x{size[1]}", "-r", str(rate), "-i", "-"]
    command = ["ffmpeg", "-v", "error", "-y", *raw, *arguments, "-bitexact", str(MEDIA / name)]
    subprocess.run(command, input=b"".join(frames), check=True)


def draw(size, color):
    """A picture of rgb24 from a function of column and row."""
    return b"".join(bytes(color(x, y)) for y in range(size[1]) for x in range(size[0]))


# Turned

LETTER = (96, 64)


def letter(x, y):
    """A white F over a gradient, its corners of four colours."""
    if 36 <= x < 46 and 10 <= y < 54 or 46 <= x < 68 and 10 <= y < 20 or 46 <= x < 60 and 28 <= y < 37:
        return 235, 235, 235
    if min(x, 95 - x) < 14 and min(y, 63 - y) < 14:
        return [(200, 40, 40), (40, 160, 60), (50, 80, 210), (220, 190, 50)][(x > 48) + 2 * (y > 32)]
    return 20 + x // 2, 40 + y, 90


# The filter that stores the picture in each orientation, and the matrix that turns it back: what x and y become, and the
# corner as shares of the stored width and height.
ORIENTATIONS = [
    ("null", (1, 0, 0, 1), (0, 0)), ("hflip", (-1, 0, 0, 1), ("w", 0)), ("hflip,vflip", (-1, 0, 0, -1), ("w", "h")),
    ("vflip", (1, 0, 0, -1), (0, "h")), ("transpose=0", (0, 1, 1, 0), (0, 0)), ("transpose=2", (0, 1, -1, 0), ("h", 0)),
    ("transpose=3", (0, -1, -1, 0), ("h", "w")), ("transpose=1", (0, -1, 1, 0), (0, "w")),
]


def turned(number):
    name = f"turned-{number}.mp4"
    filter, (a, b, c, d), corner = ORIENTATIONS[number - 1]
    frame = draw(LETTER, letter)
    encode(name, LETTER, [frame] * 25, "-vf", f"{filter},{TO_BT709}", *H264, *BT709)
    width, height = LETTER if number < 5 else LETTER[::-1]
    x, y = ({"w": width, "h": height, 0: 0}[side] for side in corner)
    data = bytearray((MEDIA / name).read_bytes())
    # The track header's matrix: 40 bytes into a version 0 box.
    at = data.index(b"tkhd") + 4 + 40
    data[at:at + 36] = struct.pack(">9i", a << 16, b << 16, 0, c << 16, d << 16, 0, x << 16, y << 16, 1 << 30)
    (MEDIA / name).write_bytes(data)


def narrow(name):
    encode(name, LETTER, [draw(LETTER, letter)] * 25, "-vf", f"scale=72:64,{TO_BT709},setsar=4/3", *H264, *BT709)


# Numbered

NUMBERED = (160, 90)
# Top, upper right, lower right, bottom, lower left, upper left, middle: x, y, width, height of a digit of 24 x 44.
SEGMENTS = [(4, 0, 16, 4), (20, 4, 4, 16), (20, 24, 4, 16), (4, 40, 16, 4), (0, 24, 4, 16), (0, 4, 4, 16), (4, 20, 16, 4)]
DIGITS = ["012345", "12", "01346", "01236", "1256", "02356", "023456", "012", "0123456", "012356"]


def numbered(number):
    """Three digits, and a mark that moves a pixel a frame."""
    width, height = NUMBERED
    frame = bytearray(bytes((24, 32, 48)) * (width * height))

    def fill(left, top, across, down, color):
        for y in range(top, top + down):
            at = 3 * (y * width + left)
            frame[at:at + 3 * across] = bytes(color) * across

    for place, digit in enumerate(f"{number:03}"):
        for segment in DIGITS[int(digit)]:
            x, y, across, down = SEGMENTS[int(segment)]
            fill(32 + 36 * place + x, 16 + y, across, down, (240, 220, 120))
    fill(number % (width - 8), 76, 8, 8, (220, 80, 60))
    return bytes(frame)


def numbers(name, *arguments):
    encode(name, NUMBERED, (numbered(number) for number in range(100)), *arguments, *BT709)


def edited(name):
    """Copied from its second second on: the file begins at a keyframe before it, and an edit list hides what leads up to it."""
    whole = MEDIA / "whole.part.mp4"
    numbers(whole.name, "-vf", TO_BT709, *H264, "-g", "40", "-bf", "2", "-sc_threshold", "0")
    cut = ["ffmpeg", "-v", "error", "-y", "-ss", "1", "-i", str(whole), "-c", "copy", "-bitexact", str(MEDIA / name)]
    subprocess.run(cut, check=True)
    whole.unlink()


# Coloured

CHART = (320, 40)
COLORS = [(210, 210, 210), (200, 190, 30), (80, 185, 190), (50, 170, 60), (190, 60, 180), (200, 50, 40), (50, 70, 200), (196, 148, 126)]
# ffmpeg's zscale options, the pixel format, and what ffprobe calls them.
ENCODINGS = {
    "bt601-525": ("m=170m:t=601:p=170m:r=tv", "yuv420p", ("smpte170m", "smpte170m", "smpte170m", "tv")),
    "bt601-625-full": ("m=470bg:t=601:p=bt470bg:r=pc", "yuv420p", ("bt470bg", "bt470bg", "smpte170m", "pc")),
    "bt709": ("m=709:t=709:p=709:r=tv", "yuv420p", ("bt709", "bt709", "bt709", "tv")),
    "srgb-full": ("m=709:t=iec61966-2-1:p=709:r=pc", "yuv420p", ("bt709", "bt709", "iec61966-2-1", "pc")),
    "p3-10": ("m=709:t=iec61966-2-1:p=smpte432:r=tv", "yuv420p10le", ("bt709", "smpte432", "iec61966-2-1", "tv")),
    "bt2020-10": ("m=2020_ncl:t=2020_10:p=2020:r=tv", "yuv420p10le", ("bt2020nc", "bt2020", "bt2020-10", "tv")),
    "pq-10": ("m=2020_ncl:t=smpte2084:p=2020:r=tv:npl=203", "yuv420p10le", ("bt2020nc", "bt2020", "smpte2084", "tv")),
    "hlg-10": ("m=2020_ncl:t=arib-std-b67:p=2020:r=tv", "yuv420p10le", ("bt2020nc", "bt2020", "arib-std-b67", "tv")),
}


def tags(matrix, primaries, transfer, range):
    return ["-colorspace", matrix, "-color_primaries", primaries, "-color_trc", transfer, "-color_range", range]


def hlg(color):
    """BT.2100: what an 8-bit colour of BT.709 is in HLG with its white at 203 cd/m2, in 16 bits."""
    light = [(code / 255) ** 2.4 * 203 / 1000 for code in color]
    rows = (0.6274, 0.3293, 0.0433), (0.0691, 0.9195, 0.0114), (0.0164, 0.0880, 0.8956)
    light = [sum(share * part for share, part in zip(row, light)) for row in rows]
    luminance = 0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2]
    scene = [part * luminance ** (1 / 1.2 - 1) for part in light]
    signal = [math.sqrt(3 * e) if e <= 1 / 12 else 0.17883277 * math.log(12 * e - 0.28466892) + 0.55991073 for e in scene]
    return [round(65535 * value) for value in signal]


def chart(encoding):
    options, format, names = ENCODINGS[encoding]
    pixels, source = "rgb24", "format=gbrp,zscale=min=gbr:tin=709:pin=709:rin=pc"
    frame = draw(CHART, lambda x, y: COLORS[x // 40])
    if encoding == "hlg-10":
        # zimg takes each component's own OOTF on the way to HLG, where BT.2100 has that of the luminance.
        pixels, source = "rgb48le", "format=gbrp16,zscale=min=gbr:tin=arib-std-b67:pin=2020:rin=pc"
        codes = [struct.pack("<3H", *hlg(color)) for color in COLORS]
        frame = b"".join(codes[x // 40] for y in range(CHART[1]) for x in range(CHART[0]))
    filter = f"{source}:{options},format={format}"
    encode(f"chart-{encoding}.mp4", CHART, [frame] * 25, "-vf", filter, *H264, *tags(*names), pixels=pixels)


# Bright

BRIGHT = (320, 180)
HUES = [(1, 1, 1), (1, 0.6, 0.2), (1, 0.15, 0.1), (0.2, 0.8, 0.3), (0.15, 0.4, 1), (0.9, 0.3, 0.9)]


def pq(nits):
    """SMPTE ST 2084."""
    power = (nits / 10_000) ** (2610 / 16384)
    return ((3424 / 4096 + 2413 / 128 * power) / (1 + 2392 / 128 * power)) ** (2523 / 32)


def highlights(name):
    """A band for each hue, from 0.1 to 1000 cd/m2 in even steps of PQ; a white mark passes over them."""
    width, height = BRIGHT
    band = height // len(HUES)

    def frame(number):
        rows = []
        for hue in HUES:
            codes = []
            for x in range(width):
                nits = 0.1 * 10_000 ** (x / (width - 1))
                codes += [round(65535 * pq(nits * share)) for share in hue]
            rows.append(codes)
        mark = 3 * (number * 6)
        picture = []
        for y in range(height):
            row = list(rows[y // band])
            if 80 <= y < 100:
                row[mark:mark + 3 * 20] = [round(65535 * pq(600))] * (3 * 20)
            picture.append(struct.pack(f"<{3 * width}H", *row))
        return b"".join(picture)

    filter = (
        "format=gbrp16,zscale=min=gbr:tin=smpte2084:pin=2020:rin=pc:m=2020_ncl:t=smpte2084:p=2020:r=tv,format=yuv420p10le")
    display = "G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(10000000,1)"
    encode(
        name, BRIGHT, (frame(number) for number in range(50)), "-vf", filter, *H264, "-x264-params",
        f"mastering-display={display}:cll=1000,180", *tags("bt2020nc", "bt2020", "smpte2084", "tv"), pixels="rgb48le")


PATTERNS = {f"turned-{number}.mp4": lambda name, number=number: turned(number) for number in range(1, 9)}
PATTERNS |= {
    "narrow.mp4": narrow,
    "steady.mp4": lambda name: numbers(name, "-vf", TO_BT709, *H264, "-g", "25"),
    "variable.mp4": lambda name: numbers(
        name, "-vf", f"select='eq(n,0)+mod(n,3)*mod(n,7)',{TO_BT709}", "-fps_mode", "vfr", *H264, "-g", "30"),
    "open.mp4": lambda name: numbers(name, "-vf", TO_BT709, *H264, "-x264-params", "open-gop=1:keyint=20:bframes=3:scenecut=0"),
    "edited.mp4": edited,
    "highlights.mp4": highlights,
}
PATTERNS |= {f"chart-{encoding}.mp4": lambda name, encoding=encoding: chart(encoding) for encoding in ENCODINGS}

if __name__ == "__main__":
    MEDIA.mkdir(exist_ok=True)
    for name, make in PATTERNS.items():
        path = MEDIA / name
        if not path.exists() or path.stat().st_mtime < HERE.stat().st_mtime:
            print(f"patterns: making {name}", flush=True)
            try:
                make(name)
            except BaseException:
                path.unlink(missing_ok=True)
                raise
