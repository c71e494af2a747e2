"""Thirteen seconds of music for the examples, written as a WAV (44.1 kHz, stereo, 16 bit) to standard output.

F - G - Em - Am at 96 beats a minute, then C: an electric piano in broken chords over a pad and a bass.
The same bytes on every machine: no random numbers, one order of operations.
"""

import array
import math
import sys
import wave

RATE = 44_100
BEAT = 60 / 96
LENGTH = 13.0
# Notes are MIDI numbers: bass, then the chord from below.
CHORDS = [
    (41, (65, 69, 72, 76)),  # F maj7
    (43, (62, 67, 71, 74)),  # G
    (40, (64, 67, 71, 74)),  # E m7
    (45, (64, 69, 72, 76)),  # A m
]
LAST = (36, (64, 67, 72, 76))  # C
PATTERN = (0, 1, 2, 3, 2, 1, 2, 3)

left = [0.0] * int(LENGTH * RATE)
right = left.copy()


def frequency(note):
    return 440 * 2 ** ((note - 69) / 12)


def add(start, seconds, gain, pan, voice):
    """Mixes `voice(t)` in from `start`; pan 0 is left, 1 is right, at constant power."""
    first = int(start * RATE)
    to_left, to_right = gain * math.cos(pan * math.pi / 2), gain * math.sin(pan * math.pi / 2)
    for index in range(min(int(seconds * RATE), len(left) - first)):
        sample = voice(index / RATE)
        left[first + index] += to_left * sample
        right[first + index] += to_right * sample


def piano(note, seconds):
    """Two-operator FM whose brightness dies away faster than its loudness."""
    turn = 2 * math.pi * frequency(note)

    def voice(t):
        release = min(1.0, (seconds - t) * 20)
        return math.sin(turn * t + 1.6 * math.exp(-5 * t) * math.sin(turn * t)) * math.exp(-1.8 * t) * min(1.0, t * 200) * release

    return voice


def pad(note, seconds):
    turn = 2 * math.pi * frequency(note)

    def voice(t):
        swell = math.sin(math.pi * min(1.0, t / seconds)) ** 0.7
        return swell * (math.sin(turn * t) + 0.5 * math.sin(turn * 1.004 * t) + 0.2 * math.sin(2 * turn * 0.998 * t))

    return voice


for bar, (bass, chord) in enumerate(CHORDS):
    start = bar * 4 * BEAT
    add(start, 4 * BEAT, 0.22, 0.5, piano(bass, 4 * BEAT))
    for voice_number, note in enumerate(chord):
        add(start, 4.4 * BEAT, 0.035, 0.2 + 0.2 * voice_number, pad(note, 4.4 * BEAT))
    for step, degree in enumerate(PATTERN):
        add(start + step * BEAT / 2, 1.4, 0.16, 0.3 + 0.13 * degree, piano(chord[degree] + (12 if step == 7 else 0), 1.4))

end = 16 * BEAT
for position, note in enumerate((LAST[0],) + LAST[1]):
    add(end + 0.02 * position, LENGTH - end, 0.17, 0.3 + 0.1 * position, piano(note, LENGTH - end - 0.1))

samples = array.array("h")
for pair in zip(left, right):
    samples.extend(int(32_767 * math.tanh(value)) for value in pair)

with wave.open(sys.stdout.buffer, "wb") as file:
    file.setnchannels(2)
    file.setsampwidth(2)
    file.setframerate(RATE)
    file.writeframesraw(samples.tobytes())
