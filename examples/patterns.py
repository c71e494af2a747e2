#!/usr/bin/python3
"""Makes the synthetic clips of the examples in examples/media: pictures that show at a glance whether they are treated right.
It also takes stills from the clips that examples/footage fetched.

usage: examples/patterns.py [--record]      --record: write the patterns' digests to examples/patterns.sha256

turned-1.mp4 ... turned-8.mp4   an F, stored in the eight orientations that a file may name: all must be seen upright
narrow.mp4                      the same F with pixels of 4:3
steady.mp4, variable.mp4, open.mp4, edited.mp4
                                frames that show their number at 25 a second: steadily, with frames missing, in open GOPs,
                                and cut to its second second by an edit list
chart-*.mp4                     the same eight colours in different encodings
highlights.mp4                  hues from dark to 1000 cd/m2, BT.2100 PQ with mastering metadata
still-*.png                     frames of the fetched clips

The patterns are the same bytes on every x86-64 processor, with the ffmpeg and the x264 of Debian 12. patterns.sha256 records
their digests. Patterns that this file and this ffmpeg have made already are left as they are.
"""

import hashlib
import math
import pathlib
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve()
MEDIA = HERE.parent / "media"
DIGESTS = HERE.parent / "patterns.sha256"
# The stamp that says which recipe made the patterns in examples/media.
RECIPE = MEDIA / "patterns.recipe"
# ffmpeg's own code without instructions that only some processors have, and without threads.
FFMPEG = ["ffmpeg", "-v", "error", "-y", "-cpuflags", "0", "-filter_threads", "1"]
BT709 = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"]
SCALING = "accurate_rnd+bitexact+bicubic"
TO_BT709 = f"scale=in_range=pc:out_color_matrix=bt709:out_range=tv:flags={SCALING},format=yuv420p"


def h264(*parameters):
    """x264 with one thread and plain C code: its assembler decides otherwise on some processors."""
    independent = ":".join(("cpu-independent=1", "asm=0", *parameters))
    return ["-c:v", "libx264", "-threads", "1", "-preset", "medium", "-crf", "10", "-x264-params", independent]


def encode(name, size, frames, *arguments, pixels="rgb24", rate=25):
    """Raw frames to examples/media/name, by way of ffmpeg."""
    raw = ["-f", "rawvideo", "-pix_fmt", pixels, "-s", f"{size[0]}x{size[1]}", "-r", str(rate), "-i", "-"]
    subprocess.run([*FFMPEG, *raw, *arguments, "-bitexact", str(MEDIA / name)], input=b"".join(frames), check=True)


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
    encode(name, LETTER, [frame] * 25, "-vf", f"{filter},{TO_BT709}", *h264(), *BT709)
    width, height = LETTER if number < 5 else LETTER[::-1]
    x, y = ({"w": width, "h": height, 0: 0}[side] for side in corner)
    data = bytearray((MEDIA / name).read_bytes())
    # The track header's matrix: 40 bytes into a version 0 box.
    at = data.index(b"tkhd") + 4 + 40
    data[at:at + 36] = struct.pack(">9i", a << 16, b << 16, 0, c << 16, d << 16, 0, x << 16, y << 16, 1 << 30)
    (MEDIA / name).write_bytes(data)


def narrow(name):
    squeeze = f"scale=72:64:flags={SCALING}"
    encode(name, LETTER, [draw(LETTER, letter)] * 25, "-vf", f"{squeeze},{TO_BT709},setsar=4/3", *h264(), *BT709)


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
    numbers(whole.name, "-vf", TO_BT709, *h264(), "-g", "40", "-bf", "2", "-sc_threshold", "0")
    subprocess.run([*FFMPEG, "-ss", "1", "-i", str(whole), "-c", "copy", "-bitexact", str(MEDIA / name)], check=True)
    whole.unlink()


# Coloured

CHART = (320, 40)
COLORS = [(210, 210, 210), (200, 190, 30), (80, 185, 190), (50, 170, 60), (190, 60, 180), (200, 50, 40), (50, 70, 200), (196, 148, 126)]
# The bits of a sample, and what ffprobe calls the matrix, primaries, transfer and range.
ENCODINGS = {
    "bt601-525": (8, "smpte170m", "smpte170m", "smpte170m", "tv"),
    "bt601-625-full": (8, "bt470bg", "bt470bg", "smpte170m", "pc"),
    "bt709": (8, "bt709", "bt709", "bt709", "tv"),
    "srgb-full": (8, "bt709", "bt709", "iec61966-2-1", "pc"),
    "p3-10": (10, "bt709", "smpte432", "iec61966-2-1", "tv"),
    "bt2020-10": (10, "bt2020nc", "bt2020", "bt2020-10", "tv"),
    "pq-10": (10, "bt2020nc", "bt2020", "smpte2084", "tv"),
    "hlg-10": (10, "bt2020nc", "bt2020", "arib-std-b67", "tv"),
}
PIXELS = {8: "yuv420p", 10: "yuv420p10le"}
# The shares of red and blue in luma.
MATRICES = {
    "smpte170m": (0.299, 0.114), "bt470bg": (0.299, 0.114), "bt709": (0.2126, 0.0722), "bt2020nc": (0.2627, 0.0593),
}
# x and y of red, green and blue. The white of all is D65.
PRIMARIES = {
    "smpte170m": ((0.63, 0.34), (0.31, 0.595), (0.155, 0.07)), "bt470bg": ((0.64, 0.33), (0.29, 0.6), (0.15, 0.06)),
    "bt709": ((0.64, 0.33), (0.3, 0.6), (0.15, 0.06)), "smpte432": ((0.68, 0.32), (0.265, 0.69), (0.15, 0.06)),
    "bt2020": ((0.708, 0.292), (0.17, 0.797), (0.131, 0.046)),
}
D65 = (0.3127, 0.329)
WHITE_NITS = 203


def determinant(a, b, c):
    return (
        a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]))


def shares(total, a, b, c):
    """How much of each of three vectors makes the total: Cramer's rule."""
    volume = determinant(a, b, c)
    return [determinant(total, b, c) / volume, determinant(a, total, c) / volume, determinant(a, b, total) / volume]


def xyz(x, y):
    """CIE 1931's X, Y and Z of a chromaticity, with Y = 1."""
    return x / y, 1, (1 - x - y) / y


def lights(primaries):
    """X, Y and Z of red, green and blue that make white together."""
    vectors = [xyz(x, y) for x, y in PRIMARIES[primaries]]
    return [[share * part for part in vector] for share, vector in zip(shares(xyz(*D65), *vectors), vectors)]


def light(color, primaries):
    """The light of an 8-bit colour of BT.709, as red, green and blue of other primaries; white is 1."""
    parts = [(code / 255) ** 2.4 for code in color]
    total = [sum(part * vector[axis] for part, vector in zip(parts, lights("bt709"))) for axis in range(3)]
    return shares(total, *lights(primaries))


def gamma(light):
    """BT.1886, backwards."""
    return [part ** (1 / 2.4) for part in light]


def srgb(light):
    """IEC 61966-2-1."""
    return [1.055 * part ** (1 / 2.4) - 0.055 if part > 0.0031308 else 12.92 * part for part in light]


def pq(nits):
    """SMPTE ST 2084."""
    power = (nits / 10_000) ** (2610 / 16384)
    return ((3424 / 4096 + 2413 / 128 * power) / (1 + 2392 / 128 * power)) ** (2523 / 32)


def hlg(light):
    """BT.2100 with a peak of 1000 cd/m2."""
    light = [part * WHITE_NITS / 1000 for part in light]
    luminance = 0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2]
    scene = [part * luminance ** (1 / 1.2 - 1) for part in light]
    return [math.sqrt(3 * e) if e <= 1 / 12 else 0.17883277 * math.log(12 * e - 0.28466892) + 0.55991073 for e in scene]


TRANSFERS = {
    "smpte170m": gamma, "bt709": gamma, "bt2020-10": gamma, "iec61966-2-1": srgb, "arib-std-b67": hlg,
    "smpte2084": lambda light: [pq(WHITE_NITS * part) for part in light],
}


def codes(signal, bits, matrix, extent):
    """Y, Cb and Cr of red, green and blue that go from 0 to 1."""
    red, green, blue = signal
    of_red, of_blue = MATRICES[matrix]
    luma = of_red * red + (1 - of_red - of_blue) * green + of_blue * blue
    differences = (blue - luma) / (2 - 2 * of_blue), (red - luma) / (2 - 2 * of_red)
    step = 1 << bits - 8
    full = 256 * step - 1
    black, lumas, chromas = (0, full, full) if extent == "pc" else (16 * step, 219 * step, 224 * step)
    return round(black + lumas * luma), *(round(128 * step + chromas * difference) for difference in differences)


def subsampled(rows, bits):
    """A picture of yuv420p or yuv420p10le from rows of Y, Cb and Cr.

    A sample of chroma lies at the left pixels of its four, as H.264 has it unless told otherwise. Rows come in equal pairs.
    """
    samples = [pixel[0] for row in rows for pixel in row]
    samples += [pixel[part] for part in (1, 2) for row in rows[::2] for pixel in row[::2]]
    return struct.pack(f"<{len(samples)}{'B' if bits == 8 else 'H'}", *samples)


def tags(matrix, primaries, transfer, range):
    return ["-colorspace", matrix, "-color_primaries", primaries, "-color_trc", transfer, "-color_range", range]


def chart(encoding):
    bits, *names = ENCODINGS[encoding]
    matrix, primaries, transfer, extent = names
    columns = [codes(TRANSFERS[transfer](light(color, primaries)), bits, matrix, extent) for color in COLORS]
    row = [columns[x // 40] for x in range(CHART[0])]
    frame = subsampled([row] * CHART[1], bits)
    encode(f"chart-{encoding}.mp4", CHART, [frame] * 25, *h264(), *tags(*names), pixels=PIXELS[bits])


# Bright

BRIGHT = (320, 180)
HUES = [(1, 1, 1), (1, 0.6, 0.2), (1, 0.15, 0.1), (0.2, 0.8, 0.3), (0.15, 0.4, 1), (0.9, 0.3, 0.9)]


def highlights(name):
    """A band for each hue, from 0.1 to 1000 cd/m2 in even steps of PQ; a white mark passes over them."""
    width, height = BRIGHT

    def pixel(nits, hue):
        return codes([pq(nits * share) for share in hue], 10, "bt2020nc", "tv")

    bands = [[pixel(0.1 * 10_000 ** (x / (width - 1)), hue) for x in range(width)] for hue in HUES]
    rows = [band for band in bands for _ in range(height // len(HUES))]
    mark = [pixel(600, (1, 1, 1))] * 20

    def frame(number):
        left = number * 6
        marked = [row[:left] + mark + row[left + 20:] if 80 <= y < 100 else row for y, row in enumerate(rows)]
        return subsampled(marked, 10)

    display = "G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(10000000,1)"
    encode(
        name, BRIGHT, (frame(number) for number in range(50)), *h264(f"mastering-display={display}", "cll=1000,180"),
        *tags("bt2020nc", "bt2020", "smpte2084", "tv"), pixels=PIXELS[10])


# Still

# The clip, the number of the frame, and the matrix of a clip of its size.
STILLS = {
    "still-rabbit.png": ("bigbuckbunny.mp4", 62, "bt709"), "still-cyclist.png": ("bikes.mp4", 118, "smpte170m"),
    "still-street.png": ("bikes.mp4", 175, "smpte170m"), "still-bicycle.png": ("bikes.mp4", 222, "smpte170m"),
}


def still(name):
    clip, number, matrix = STILLS[name]
    picture = f"select=eq(n\\,{number}),scale=in_color_matrix={matrix}:in_range=tv:flags={SCALING},format=rgb24"
    subprocess.run(
        [*FFMPEG, "-i", str(MEDIA / clip), "-vf", picture, "-frames:v", "1", "-bitexact", str(MEDIA / name)], check=True)


PATTERNS = {f"turned-{number}.mp4": lambda name, number=number: turned(number) for number in range(1, 9)}
PATTERNS |= {
    "narrow.mp4": narrow,
    "steady.mp4": lambda name: numbers(name, "-vf", TO_BT709, *h264(), "-g", "25"),
    "variable.mp4": lambda name: numbers(
        name, "-vf", f"select='eq(n,0)+mod(n,3)*mod(n,7)',{TO_BT709}", "-fps_mode", "vfr", *h264(), "-g", "30"),
    "open.mp4": lambda name: numbers(
        name, "-vf", TO_BT709, *h264("open-gop=1", "keyint=20", "bframes=3", "scenecut=0")),
    "edited.mp4": edited,
    "highlights.mp4": highlights,
}
PATTERNS |= {f"chart-{encoding}.mp4": lambda name, encoding=encoding: chart(encoding) for encoding in ENCODINGS}
PATTERNS |= {name: still for name in STILLS}


def recipe():
    """The digest of what makes the patterns: this file, and ffmpeg with its libraries."""
    version = subprocess.run(["ffmpeg", "-version"], capture_output=True, check=True).stdout
    return hashlib.sha256(HERE.read_bytes() + version).hexdigest()


def make_missing():
    MEDIA.mkdir(exist_ok=True)
    here = recipe()
    if not RECIPE.exists() or RECIPE.read_text() != here:
        for name in PATTERNS:
            (MEDIA / name).unlink(missing_ok=True)
    RECIPE.write_text(here)
    for name, make in PATTERNS.items():
        path = MEDIA / name
        if not path.exists():
            print(f"patterns: making {name}", flush=True)
            try:
                make(name)
            except BaseException:
                path.unlink(missing_ok=True)
                raise


def digests():
    """Lines as sha256sum writes them."""
    return [f"{hashlib.sha256((MEDIA / name).read_bytes()).hexdigest()}  {name}" for name in sorted(PATTERNS)]


def warn_of_others():
    recorded = DIGESTS.read_text().splitlines()
    others = [line.split()[1] for line in digests() if line not in recorded]
    if others:
        print(
            f"warning: patterns: not those of examples/patterns.sha256: {', '.join(others)}. Another version of ffmpeg or x264"
            " may make other patterns. Frames of the examples that show them then differ from the goldens.", file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--record"]):
        sys.exit(__doc__)
    make_missing()
    if sys.argv[1:]:
        DIGESTS.write_text("\n".join(digests()) + "\n")
    warn_of_others()
