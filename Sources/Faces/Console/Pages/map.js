// The map of a job: each chunk is a line from left (its beginning) to right (its end); the movie runs from top to bottom.
// A chunk that is done is divided in the shares of its phases, in their order. 100,000 tasks cost a redraw no more than the few that run.
import { count, el, long } from "./console.js";

// A chunk that is done is coloured by the phases that its attempt measured, the others by their states.
const colours = { waiting: "--queued", ready: "--queued", running: "--ink", done: "--done", failed: "--failed", cancelled: "--cancelled" };
const kinds = { sound: "--sound", mux: "--joining", publish: "--joining" };
const phases = ["opening", "reading", "compositing", "encoding", "committing"];
const names = { opening: "preparing", reading: "fetching and decoding", compositing: "compositing", encoding: "encoding", committing: "starting and committing" };
// Each phase has a pattern, too, so that colour does not stand alone: the pixels of it that stay pale. Lines of a few pixels have none.
const gaps = {
  opening: (x) => x % 4 < 1, reading: (x, y) => (x + y) % 6 < 2, compositing: () => false, encoding: (x, y) => (x - y + 6000) % 6 < 2, committing: (x, y) => x % 4 < 2 && y % 4 < 2,
};

/** The milliseconds of a chunk's phases in their order; null where nothing was measured. What was not measured is the start and the commit. */
function phasesOf(data, i) {
  if (data.opening[i] < 0 || data.ended[i] < 0) return null;
  const own = [data.opening[i], data.reading[i], data.compositing[i], data.encoding[i]];
  const sum = own[0] + own[1] + own[2] + own[3];
  return [...own, Math.max(0, data.ended[i] - data.began[i] - sum)];
}

// What is known of a task's line, as bits.
const [RUNS, DONE, MEASURED, RETRIED, CRITICAL] = [1, 2, 4, 8, 16];

/** The tasks as columns of numbers, a line each: pictures in the order of the movie; sound, mux and publication stand last. */
function linesOf(data) {
  const count = data.task.length;
  const [began, ended] = [new Float64Array(data.began), new Float64Array(data.ended)];
  const own = phases.slice(0, 4).map((phase) => new Float64Array(data[phase]));
  const [sums, flags, path] = [new Float64Array(count), new Uint8Array(count), new Set(data.critical || [])];
  const done = data.states.indexOf("done");
  let end = 0;
  for (let i = 0; i < count; i++) {
    const isDone = ended[i] >= 0 && data.state[i] === done;
    sums[i] = own[0][i] + own[1][i] + own[2][i] + own[3][i];
    flags[i] = (began[i] >= 0 && ended[i] < 0 ? RUNS : 0) | (isDone ? DONE : 0) | (isDone && own[0][i] >= 0 ? MEASURED : 0)
      | (data.attempts[i] > 1 && began[i] >= 0 ? RETRIED : 0) | (path.size && path.has(data.task[i]) ? CRITICAL : 0);
    end = Math.max(end, began[i], ended[i]);
  }
  return { count, began, ended, own, sums, flags, end };
}

/** A swatch of the legend, in a phase's colour and pattern. */
function swatch(phase, rgb, pale) {
  const canvas = el("canvas", { width: 14, height: 14, ariaHidden: "true" });
  const context = canvas.getContext("2d");
  for (let y = 0; y < 14; y++) for (let x = 0; x < 14; x++) { context.fillStyle = `rgb(${(gaps[phase](x, y) ? pale : rgb).join(" ")})`; context.fillRect(x, y, 1, 1); }
  return canvas;
}

/** @param pick is told the first frame of a chunk that somebody wants to see, and where it goes; null where nobody may see any. */
export function chunkMap(pick) {
  const canvas = el("canvas", { tabIndex: 0, role: "img", ariaLabel: "Map of the job's chunks over time" });
  const tip = el("div", { id: "tip", ariaLive: "polite" }, pick ? "Point at a chunk, or move with the arrow keys. A click or Enter shows its first frame." : "Point at a chunk, or move with the arrow keys.");
  const legend = el("div", { className: "legend" });
  const preview = el("div", { className: "preview" });
  const node = el("div", { className: "sheet" }, legend, canvas, tip, preview);
  // All pixels are written by this program, so they are kept in memory and not on a graphics card.
  const context = canvas.getContext("2d", { willReadFrequently: true });
  let [data, boxWidth, seen, at, frame, arrived, version, isOpen] = [null, 0, 0, -1, 0, 0, 0, false];
  let scale = { width: 1, height: 1, milliseconds: 1, ratio: 1, gap: 0 };
  const theme = matchMedia("(prefers-color-scheme: dark)");

  // The colours are asked for once, and again when the theme changes: each question has the browser lay out the page.
  let colour = null;
  const palette = () => {
    const probe = el("span", { hidden: true });
    node.append(probe);
    const rgb = (name) => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number); };
    const found = {
      states: data.states.map((state) => rgb(colours[state] || "--queued")), kinds: data.kinds.map((kind) => kinds[kind] ? rgb(kinds[kind]) : null),
      phases: phases.map((phase) => rgb(`--${phase}`)), pale: rgb("--sheet"), retried: rgb("--ink"), line: rgb("--line"), critical: rgb("--failed"),
    };
    probe.remove();
    return found;
  };

  // The lines of all tasks that do not run are drawn once into pixels, and again when the data, the size, the axis or the theme changes. A redraw
  // copies the pixels, and draws only what moves: the running tasks and the line that is pointed at.
  let [kept, keptFor, open, lines] = [null, "", [], null];
  // The end of the axis in milliseconds. While the job runs it moves on in steps of a few per cent, so that lines that stand stay.
  const axisEnd = (milliseconds) => {
    const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, milliseconds))) - 5);
    return Math.ceil(milliseconds / step) * step;
  };
  const lineOf = (row) => {
    const top = Math.floor((row * scale.height) / lines.count);
    return [top, Math.max(top + 1, Math.floor(((row + 1) * scale.height) / lines.count) - scale.gap)];
  };
  const barOf = (row, end) => {
    const { width, milliseconds, ratio } = scale;
    if (lines.began[row] < 0) return [0, Math.max(2, Math.round(4 * ratio))];
    const left = Math.min(width - 1, Math.floor((lines.began[row] / milliseconds) * width));
    return [left, Math.min(width, Math.max(left + Math.ceil(ratio), Math.ceil((end / milliseconds) * width)))];
  };
  const endOf = (row) => lines.ended[row] < 0 ? scale.milliseconds : lines.ended[row];
  const edgeOf = (row, left, right) => lines.flags[row] & RETRIED ? Math.min(right, left + Math.round(3 * scale.ratio)) : left;

  const drawKept = () => {
    const { width, height } = scale;
    if (kept?.width !== width || kept.height !== height) kept = new ImageData(width, height);
    const pixels = new Uint32Array(kept.data.buffer);
    pixels.fill(0);
    // A pixel's bytes are red, green, blue and alpha, the lowest first on all machines that browsers run on.
    const pixel = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    const ink = {
      states: colour.states.map(pixel), retried: pixel(colour.retried), critical: pixel(colour.critical), pale: pixel(colour.pale),
      phases: colour.phases.map(pixel), kinds: colour.kinds.map((rgb) => rgb && pixel(rgb)),
    };
    if (lines.count > height) drawDense(pixels, ink); else drawWide(pixels, ink);
  };

  // The right ends of a line's phases.
  const ends = new Float64Array(phases.length);
  const measure = (row, left, right) => {
    const whole = Math.max(lines.sums[row], lines.ended[row] - lines.began[row], 1);
    let sum = 0;
    for (let p = 0; p < 4; p++) { sum += lines.own[p][row]; ends[p] = Math.round(left + ((right - left) * sum) / whole); }
    ends[4] = right;
  };
  const paint = (pixels, value, from, to) => {
    if (to - from > 24) { pixels.fill(value, from, to); return; }
    for (let x = from; x < to; x++) pixels[x] = value;
  };
  // One line of pixels of a task.
  const drawLine = (pixels, ink, row, line, left, right) => {
    const flags = lines.flags[row];
    if (flags & MEASURED) {
      let begin = left;
      for (let p = 0; p < 5; p++) if (ends[p] > begin) { paint(pixels, ink.phases[p], line + begin, line + ends[p]); begin = ends[p]; }
    } else if (!(flags & RUNS)) paint(pixels, flags & DONE && ink.kinds[data.kind[row]] || ink.states[data.state[row]], line + left, line + right);
  };
  // The critical path is a mark at the right edge, too wide to be hidden by the lines around it.
  const markCritical = (pixels, ink, top, bottom) => {
    const { width, height, ratio } = scale;
    for (let y = top; y < Math.max(bottom, top + Math.round(2 * ratio)) && y < height; y++) pixels.fill(ink.critical, y * width + width - Math.round(6 * ratio), (y + 1) * width);
  };

  // Several tasks share each line of pixels. The last ones are drawn first, and what they cover is not drawn again: [from, to) of line `at`.
  const drawDense = (pixels, ink) => {
    const { width, height, milliseconds, ratio } = scale;
    const { count, began, ended, flags } = lines;
    const [perMillisecond, least, notBegun] = [width / milliseconds, Math.ceil(ratio), Math.max(2, Math.round(4 * ratio))];
    const edgeWidth = Math.round(3 * ratio);
    let [at, from, to] = [-1, 0, 0];
    for (let row = count - 1; row >= 0; row--) {
      const flag = flags[row];
      if ((flag & RUNS) && !(flag & CRITICAL)) continue;
      const top = Math.floor((row * height) / count);
      if (at !== top) [at, from, to] = [top, 0, 0];
      let [left, right] = [0, notBegun];
      if (began[row] >= 0) {
        left = Math.min(width - 1, Math.floor(began[row] * perMillisecond));
        right = Math.min(width, Math.max(left + least, Math.ceil((flag & RUNS ? milliseconds : ended[row]) * perMillisecond)));
      }
      const isHidden = from <= left && right <= to;
      if (!isHidden) { if (left <= to && from <= right && from < to) { from = Math.min(from, left); to = Math.max(to, right); } else { from = left; to = right; } }
      if (!isHidden || flag & CRITICAL) {
        if (flag & MEASURED) measure(row, left, right);
        drawLine(pixels, ink, row, top * width, left, right);
      }
      if (flag & RETRIED) paint(pixels, ink.retried, top * width + left, top * width + Math.min(right, left + edgeWidth));
      if (flag & CRITICAL) markCritical(pixels, ink, top, top + 1);
    }
  };

  // Each task has a line of pixels or more.
  const drawWide = (pixels, ink) => {
    const { width, height, ratio } = scale;
    for (let row = 0; row < lines.count; row++) {
      const flag = lines.flags[row];
      if ((flag & RUNS) && !(flag & CRITICAL)) continue;
      const [top, bottom] = lineOf(row);
      const [left, right] = barOf(row, endOf(row));
      const edge = edgeOf(row, left, right);
      const isHigh = bottom - top >= 5 * ratio;
      if (flag & MEASURED) measure(row, left, right);
      for (let y = top; y < bottom && y < height; y++) {
        const line = y * width;
        drawLine(pixels, ink, row, line, left, right);
        if (flag & MEASURED && isHigh) drawPattern(pixels, ink, y, left);
        if (edge > left) paint(pixels, ink.retried, line + left, line + edge);
        // A frame shows the critical path where lines are wide enough for one.
        if (flag & CRITICAL && isHigh && (y < top + ratio || y >= bottom - ratio)) pixels.fill(ink.critical, line + left, line + right);
      }
      if (flag & CRITICAL) markCritical(pixels, ink, top, bottom);
    }
  };
  const drawPattern = (pixels, ink, y, left) => {
    const { width, ratio } = scale;
    let begin = left;
    for (let p = 0; p < 5; p++) {
      const gap = gaps[phases[p]];
      for (let x = begin; x < ends[p]; x++) if (gap(Math.floor(x / ratio), Math.floor(y / ratio))) pixels[y * width + x] = ink.pale;
      begin = Math.max(begin, ends[p]);
    }
  };

  /** Draws the map. Returns whether there is one to be drawn. */
  const draw = () => {
    frame = 0;
    if (!data || !node.isConnected || !boxWidth) return false;
    const ratio = devicePixelRatio || 1;
    const width = Math.max(1, Math.round(boxWidth * ratio));
    const height = Math.round(Math.min(360, Math.max(90, lines.count * 14)) * ratio);
    if (canvas.width !== width || canvas.height !== height) { [canvas.width, canvas.height] = [width, height]; canvas.style.height = `${height / ratio}px`; }
    const now = seen + (performance.now() - arrived);
    const milliseconds = Math.max(1, isOpen ? axisEnd(now) : seen);
    scale = { width, height, milliseconds, ratio, gap: height / lines.count >= 6 * ratio ? Math.round(ratio) : 0 };
    const isNew = keptFor !== (keptFor = [width, height, milliseconds, version].join(" "));
    if (isNew) { colour ||= palette(); drawKept(); }
    context.putImageData(kept, 0, 0);
    const css = ([r, g, b]) => `rgb(${r} ${g} ${b})`;
    for (const row of open) {
      const [top, bottom] = lineOf(row);
      const [left, right] = barOf(row, now);
      context.fillStyle = css(colour.states[data.state[row]]);
      context.fillRect(left, top, right - left, bottom - top);
      if (lines.flags[row] & RETRIED) { context.fillStyle = css(colour.retried); context.fillRect(left, top, Math.min(right - left, 3 * ratio), bottom - top); }
    }
    if (at < 0 || at >= lines.count) return true;
    const [top, bottom] = lineOf(at);
    context.globalCompositeOperation = "destination-over";
    context.fillStyle = css(colour.line);
    context.fillRect(0, top, width, 1);
    context.fillRect(0, bottom - 1, width, 1);
    context.globalCompositeOperation = "source-over";
    return true;
  };
  const plan = () => { frame ||= requestAnimationFrame(draw); };

  const tell = (i) => {
    if (!data || i < 0 || i >= lines.count) return;
    at = i;
    const frames = data.first[i] < 0 ? data.kinds[data.kind[i]] : `frames ${count(data.first[i])} to ${count(data.first[i] + data.frames[i] - 1)}`;
    const seconds = (value) => `${(value / 1000).toFixed(1)} s`;
    const when = data.began[i] < 0 ? "not begun" : data.ended[i] < 0 ? `since ${seconds(data.began[i])}` : `${seconds(data.began[i])} to ${seconds(data.ended[i])}, ${seconds(data.ended[i] - data.began[i])} long`;
    const worker = data.workers[data.worker[i]];
    const own = phasesOf(data, i);
    const parts = own && phases.map((phase, p) => own[p] > 0 ? `${names[phase]} ${seconds(own[p])}` : null).filter(Boolean).join(", ");
    const isCritical = (data.critical || []).includes(data.task[i]);
    tip.textContent = [`task ${data.task[i]}`, frames, data.states[data.state[i]], when, parts, worker ? `on ${worker}` : null, data.attempts[i] > 1 ? `${data.attempts[i]} attempts` : null,
      isCritical ? "on the critical path" : null].filter(Boolean).join(" · ");
    plan();
  };
  const rowAt = (event) => Math.floor((event.offsetY / canvas.clientHeight) * (lines?.count || 0));
  canvas.addEventListener("pointermove", (event) => tell(rowAt(event)));
  const see = () => { if (pick && data && at >= 0 && data.first[at] >= 0) pick(data.first[at], preview); };
  canvas.addEventListener("click", (event) => { tell(rowAt(event)); see(); });
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { see(); return; }
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 };
    if (!(event.key in steps) || !lines) return;
    event.preventDefault();
    tell(Math.max(0, Math.min(lines.count - 1, at + steps[event.key])));
  });
  // The width is told when the browser knows it. To ask for it while a page changes would have the page laid out once more.
  const observer = new ResizeObserver((entries) => { boxWidth = entries.at(-1).contentRect.width; plan(); });
  observer.observe(canvas);
  const repaint = () => { version++; colour = null; if (data) explain(); plan(); };
  theme.addEventListener("change", repaint);

  // The legend: the phases with their shares of the time of all chunks that are done, then the states of the other tasks.
  const explain = () => {
    const rgb = (colour ||= palette());
    const sums = phases.map(() => 0);
    const counts = data.states.map(() => 0);
    const others = data.kinds.map(() => 0);
    for (let i = 0; i < lines.count; i++) {
      if (lines.flags[i] & MEASURED) {
        for (let p = 0; p < 4; p++) sums[p] += lines.own[p][i];
        sums[4] += Math.max(0, lines.ended[i] - lines.began[i] - lines.sums[i]);
      } else if (lines.flags[i] & DONE && kinds[data.kinds[data.kind[i]]]) others[data.kind[i]]++;
      else counts[data.state[i]]++;
    }
    const total = sums.reduce((a, b) => a + b, 0);
    const mark = (name) => { const it = el("i"); it.style.background = `var(${name})`; return it; };
    const share = (p) => `${((100 * sums[p]) / total).toFixed(1)} %`;
    const hasPath = (data.critical || []).length > 0;
    legend.replaceChildren(
      ...phases.map((phase, p) => sums[p] > 0 ? el("span", {}, swatch(phase, rgb.phases[p], rgb.pale), `${names[phase]} ${share(p)}`) : null).filter(Boolean),
      ...data.kinds.map((kind, k) => others[k] ? el("span", {}, mark(kinds[kind]), kind) : null).filter(Boolean),
      ...data.states.map((state, i) => counts[i] ? el("span", {}, mark(colours[state]), `${state} ${count(counts[i])}`) : null).filter(Boolean),
      el("span", {}, mark("--ink"), "edge at the left: tried again"),
      hasPath ? el("span", {}, mark("--failed"), "mark at the far right: on the critical path") : "",
      el("span", {}, `${long(Math.max(1, seen) / 1000)} since submission, left to right`));
    canvas.ariaLabel = `Map of the job's chunks over time${total ? `: ${phases.map((phase, p) => `${names[phase]} ${share(p)}`).join(", ")} of the chunks' time` : ""}`;
  };

  const show = (fresh) => {
    data = fresh;
    lines = linesOf(fresh);
    version++;
    isOpen = fresh.state.some((state) => fresh.states[state] === "running");
    open = [];
    for (let row = 0; row < lines.count; row++) if (lines.flags[row] & RUNS) open.push(row);
    const grown = arrived ? seen + performance.now() - arrived : 0;
    seen = isOpen ? Math.max(lines.end, Math.min(grown, lines.end + 600000)) : lines.end;
    arrived = performance.now();
    explain();
    plan();
  };
  // How long one redraw takes, and one of all lines, for scripts/check-console; infinity where nothing was drawn.
  const timed = (work) => { const begin = performance.now(); return work() ? performance.now() - begin : Infinity; };
  canvas.spoolMeasure = () => timed(draw);
  canvas.spoolMeasureAll = () => timed(() => { version++; return draw(); });
  return { node, show, tick: plan, stop: () => { observer.disconnect(); theme.removeEventListener("change", repaint); cancelAnimationFrame(frame); } };
}
