#!/usr/bin/python3
"""Draws clouds.png, the map that the luma wipes of the examples go by: four octaves of smoothed noise, every level of
brightness equally often, so that the wipe keeps an even pace.

usage: examples/clouds.py > examples/clouds.png
"""

import random
import struct
import sys
import zlib

WIDTH, HEIGHT = 192, 108


def octave(cells, seed):
    """Noise of `cells` cells across, smooth between their corners."""
    source = random.Random(seed)
    corners = [[source.random() for _ in range(cells + 2)] for _ in range(cells + 2)]

    def smooth(t):
        return t * t * (3 - 2 * t)

    def at(x, y):
        u, v = x / WIDTH * cells, y / WIDTH * cells
        i, j = int(u), int(v)
        s, t = smooth(u - i), smooth(v - j)
        above = corners[j][i] * (1 - s) + corners[j][i + 1] * s
        below = corners[j + 1][i] * (1 - s) + corners[j + 1][i + 1] * s
        return above * (1 - t) + below * t

    return at


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


octaves = [(octave(4 << level, level), 0.5**level) for level in range(4)]
levels = [sum(noise(x, y) * share for noise, share in octaves) for y in range(HEIGHT) for x in range(WIDTH)]
grey = bytearray(len(levels))
for rank, place in enumerate(sorted(range(len(levels)), key=levels.__getitem__)):
    grey[place] = rank * 256 // len(levels)
rows = b"".join(b"\0" + bytes(grey[y * WIDTH:(y + 1) * WIDTH]) for y in range(HEIGHT))
sys.stdout.buffer.write(
    b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))
