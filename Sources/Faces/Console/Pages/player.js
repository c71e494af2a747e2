// The player of a movie that is still being rendered: it fetches the pieces of the playlist around the playhead, and gives them to the
// browser (Media Source Extensions). Where a browser has no such thing, it plays the playlist itself.
import { ask, el } from "./console.js";

const AHEAD = 20; // The seconds that are kept ready before the playhead,
const BEHIND = 30; // and behind it.
const TRIES = 1000; // The pieces may come late: each request waits some seconds, and is repeated as long as the page wants it.

/// The pieces of a media playlist with their times, and the address of the opening.
export function parse(text, base) {
  let opening = null;
  let time = 0;
  let duration = 0;
  const pieces = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("#EXT-X-MAP:")) opening = new URL(line.match(/URI="([^"]*)"/)[1], base).href;
    else if (line.startsWith("#EXTINF:")) duration = parseFloat(line.slice(8));
    else if (line && !line.startsWith("#")) {
      pieces.push({ url: new URL(line, base).href, start: time, end: time + duration });
      time += duration;
    }
  }
  return { opening, pieces, duration: time };
}

/// The media playlists of a multivariant one: that of the picture, or of the only track, first.
export function tracks(text, base) {
  const lines = text.split("\n");
  const stream = lines.findIndex((line) => line.startsWith("#EXT-X-STREAM-INF:"));
  const media = lines.filter((line) => line.startsWith("#EXT-X-MEDIA:")).map((line) => line.match(/URI="([^"]*)"/)[1]);
  return [lines[stream + 1], ...media].map((url) => new URL(url, base).href);
}

/// Fetches, and waits as long as it takes for what is not rendered yet. Other failures are thrown.
async function patiently(url, signal, tell) {
  for (let turn = 0; ; turn++) {
    try { return await ask(url, { signal }); } catch (error) {
      if (error.name === "AbortError" || error.status !== 503 || turn > TRIES) throw error;
      tell(error.message);
      await new Promise((go) => setTimeout(go, 500));
    }
  }
}

const isBuffered = (ranges, time) => {
  for (let i = 0; i < ranges.length; i++) if (ranges.start(i) <= time && ranges.end(i) > time) return true;
  return false;
};

/// One track: its playlist and its buffer.
class Track {
  constructor(source, video, list, tell, finish) {
    Object.assign(this, { source, video, list, tell, finish, buffer: null, wanted: null, stop: null });
  }

  /// Fetches the opening. Its type says which codec it is.
  async fetch(signal) {
    const response = await patiently(this.list.opening, signal, this.tell);
    this.type = response.headers.get("Content-Type");
    const kind = window.ManagedMediaSource || window.MediaSource;
    if (!kind.isTypeSupported(this.type)) throw new Error(`This browser does not play ${this.type}`);
    this.opening = await response.arrayBuffer();
  }

  change(work) {
    return new Promise((resolve, reject) => {
      const done = () => { this.buffer.removeEventListener("error", failed); resolve(); };
      const failed = () => { this.buffer.removeEventListener("updateend", done); reject(new Error("The browser cannot play a piece of the movie")); };
      this.buffer.addEventListener("updateend", done, { once: true });
      this.buffer.addEventListener("error", failed, { once: true });
      try { work(); } catch (error) { this.buffer.removeEventListener("updateend", done); this.buffer.removeEventListener("error", failed); reject(error); }
    });
  }

  /// The first piece near the playhead that is not in the buffer; null when there is enough.
  next() {
    const now = this.video.currentTime;
    for (const piece of this.list.pieces) {
      if (piece.end <= now || piece.start > now + AHEAD) continue;
      const rim = Math.min(0.1, (piece.end - piece.start) / 4);
      if (!this.has(Math.max(piece.start + rim, Math.min(now, piece.end - rim))) || !this.has(piece.end - rim)) return piece;
    }
    return null;
  }

  has(time) { return isBuffered(this.buffer.buffered, time); }

  /// Whether the end of the movie is in the buffer.
  get hasEnd() { return this.has(this.list.duration - Math.min(0.1, this.list.pieces.at(-1).end - this.list.pieces.at(-1).start) / 2); }

  /// Gives up a piece that is waited for, if the playhead has left it.
  look() {
    if (this.wanted && this.next() !== this.wanted) this.stop.abort();
  }

  async run(signal) {
    while (!signal.aborted) {
      const piece = this.next();
      if (!piece) { await new Promise((go) => setTimeout(go, 200)); continue; }
      this.wanted = piece;
      this.stop = new AbortController();
      signal.addEventListener("abort", () => this.stop.abort(), { once: true });
      try {
        const response = await patiently(piece.url, this.stop.signal, this.tell);
        const bytes = await response.arrayBuffer();
        this.tell("");
        await this.append(bytes);
        this.finish();
        piece.turns = (piece.turns || 0) + 1;
        // A browser that drops what it was given would be given it for ever.
        if (this.next() === piece && piece.turns > 3) throw new Error("The browser does not keep a piece of the movie");
      } catch (error) { if (error.name !== "AbortError") throw error; }
      this.wanted = null;
    }
  }

  async append(bytes) {
    const old = this.video.currentTime - BEHIND;
    if (old > 1 && this.buffer.buffered.length && this.buffer.buffered.start(0) < old) await this.change(() => this.buffer.remove(0, old));
    try { await this.change(() => this.buffer.appendBuffer(bytes)); } catch (error) {
      if (error.name !== "QuotaExceededError") throw error;
      // The buffer is full of what is far away.
      const now = this.video.currentTime;
      await this.change(() => this.buffer.remove(0, Math.max(0.1, now - 2)));
      await this.change(() => this.buffer.remove(now + AHEAD, Infinity));
      await this.change(() => this.buffer.appendBuffer(bytes));
    }
  }
}

/// Plays a playlist in a `<video>`. Returns the element and a function that ends it.
///
/// `tell` is given words about what is waited for, and "" when it has come; `fail` is given what ended it.
export function player(url, tell, fail) {
  const video = el("video", { className: "frame", controls: true, playsInline: true, ariaLabel: "The movie, as far as it is rendered" });
  const over = new AbortController();
  const kind = window.ManagedMediaSource || window.MediaSource;
  if (!kind) {
    video.src = url;
    return { video, end() { video.removeAttribute("src"); video.load(); } };
  }
  const source = new kind();
  video.disableRemotePlayback = true;
  const address = URL.createObjectURL(source);
  video.src = address;
  const begin = async () => {
    await new Promise((go) => source.addEventListener("sourceopen", go, { once: true }));
    URL.revokeObjectURL(address);
    const base = new URL(url, location.href).href;
    const names = tracks(await (await ask(base, { signal: over.signal })).text(), base);
    const lists = await Promise.all(names.map(async (name) => parse(await (await ask(name, { signal: over.signal })).text(), name)));
    source.duration = Math.max(...lists.map((list) => list.duration));
    // The browser ends at the movie's end only if it was told that nothing follows.
    const finish = () => {
      if (source.readyState === "open" && all.every((track) => !track.buffer.updating && track.hasEnd)) source.endOfStream();
    };
    const all = lists.map((list) => new Track(source, video, list, tell, finish));
    video.addEventListener("seeking", () => all.forEach((track) => track.buffer && track.look()));
    await Promise.all(all.map((track) => track.fetch(over.signal)));
    // All buffers have to be there before the first one is given anything.
    for (const track of all) track.buffer = source.addSourceBuffer(track.type);
    await Promise.all(all.map((track) => track.change(() => track.buffer.appendBuffer(track.opening))));
    await Promise.all(all.map((track) => track.run(over.signal)));
  };
  begin().catch((error) => { if (error.name !== "AbortError") { over.abort(); fail(error); } });
  return { video, end() { over.abort(); video.removeAttribute("src"); video.load(); } };
}
