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

/** A swatch of the legend, in a phase's colour and pattern. */
function swatch(phase, rgb, pale) {
  const canvas = el("canvas", { width: 14, height: 14, ariaHidden: "true" });
  const context = canvas.getContext("2d");
  for (let y = 0; y < 14; y++) for (let x = 0; x < 14; x++) { context.fillStyle = `rgb(${(gaps[phase](x, y) ? pale : rgb).join(" ")})`; context.fillRect(x, y, 1, 1); }
  return canvas;
}

export function chunkMap() {
  const canvas = el("canvas", { tabIndex: 0, role: "img", ariaLabel: "Map of the job's chunks over time" });
  const tip = el("div", { id: "tip", ariaLive: "polite" }, "Point at a chunk, or move with the arrow keys.");
  const legend = el("div", { className: "legend" });
  const node = el("div", { className: "sheet" }, legend, canvas, tip);
  let [data, order, seen, at, frame, arrived, version, isOpen] = [null, [], 0, -1, 0, 0, 0, false];
  let scale = { width: 1, height: 1, milliseconds: 1, ratio: 1, gap: 0 };
  const theme = matchMedia("(prefers-color-scheme: dark)");

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

  // The lines of all tasks that do not run are drawn once into pixels of their own, and again when the data, the size, the axis or the
  // theme changes. A redraw copies them, and draws only what moves: the running tasks and the line that is pointed at.
  const kept = document.createElement("canvas");
  let [keptFor, colour, open] = ["", null, []];
  // The end of the axis in milliseconds. While the job runs it moves on in steps of a few per cent, so that lines that stand stay.
  const axisEnd = (milliseconds) => {
    const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, milliseconds))) - 5);
    return Math.ceil(milliseconds / step) * step;
  };
  const lineOf = (row) => {
    const top = Math.floor((row * scale.height) / order.length);
    return [top, Math.max(top + 1, Math.floor(((row + 1) * scale.height) / order.length) - scale.gap)];
  };
  const barOf = (i, end) => {
    const { width, milliseconds, ratio } = scale;
    if (data.began[i] < 0) return [0, Math.max(2, Math.round(4 * ratio))];
    const left = Math.min(width - 1, Math.floor((data.began[i] / milliseconds) * width));
    return [left, Math.min(width, Math.max(left + Math.ceil(ratio), Math.ceil((end / milliseconds) * width)))];
  };

  const drawKept = () => {
    const { width, height, ratio } = scale;
    [kept.width, kept.height] = [width, height];
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    // A pixel's bytes are red, green, blue and alpha, the lowest first on all machines that browsers run on.
    const pixel = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    const [states, retried, critical] = [colour.states.map(pixel), pixel(colour.retried), pixel(colour.critical)];
    const [ofPhases, ofKinds, pale] = [colour.phases.map(pixel), colour.kinds.map((rgb) => rgb && pixel(rgb)), pixel(colour.pale)];
    const path = new Set(data.critical || []);
    // The right ends of a line's phases.
    const ends = new Float64Array(phases.length);
    // Where several tasks share a line of pixels, the last ones are drawn first, and what they cover is not drawn again: [from, to) of line `at`.
    const isDense = order.length > height;
    let [at, from, to] = [-1, 0, 0];
    for (let place = 0; place < order.length; place++) {
      const row = isDense ? order.length - 1 - place : place;
      const i = order[row];
      const [top, bottom] = lineOf(row);
      const isCritical = path.has(data.task[i]);
      if (data.began[i] >= 0 && data.ended[i] < 0 && !isCritical) continue;
      const [left, right] = barOf(i, data.ended[i] < 0 ? scale.milliseconds : data.ended[i]);
      const edge = data.attempts[i] > 1 && data.began[i] >= 0 ? Math.min(right, left + Math.round(3 * ratio)) : left;
      if (isDense) {
        if (at !== top) [at, from, to] = [top, 0, 0];
        const isHidden = from <= left && right <= to;
        if (left <= to && from <= right && from < to) [from, to] = [Math.min(from, left), Math.max(to, right)]; else [from, to] = [left, right];
        if (isHidden && !isCritical) { if (edge > left) pixels.fill(retried, top * width + left, top * width + edge); continue; }
      }
      const isDone = data.ended[i] >= 0 && data.states[data.state[i]] === "done";
      const isMeasured = isDone && data.opening[i] >= 0;
      if (isMeasured) {
        const own = data.opening[i] + data.reading[i] + data.compositing[i] + data.encoding[i];
        const whole = Math.max(own, data.ended[i] - data.began[i], 1);
        let sum = 0;
        for (let p = 0; p < 4; p++) { sum += data[phases[p]][i]; ends[p] = Math.round(left + ((right - left) * sum) / whole); }
        ends[4] = right;
      }
      const isPatterned = isMeasured && bottom - top >= 5 * ratio;
      for (let y = top; y < bottom && y < height; y++) {
        const line = y * width;
        if (isMeasured) {
          let begin = left;
          for (let p = 0; p < 5; p++) {
            const end = ends[p];
            if (end > begin) pixels.fill(ofPhases[p], line + begin, line + end);
            if (isPatterned) { const gap = gaps[phases[p]]; for (let x = begin; x < end; x++) if (gap(Math.floor(x / ratio), Math.floor(y / ratio))) pixels[line + x] = pale; }
            if (end > begin) begin = end;
          }
        } else if (data.ended[i] >= 0 || data.began[i] < 0) {
          pixels.fill(isDone && ofKinds[data.kind[i]] || states[data.state[i]], line + left, line + right);
        }
        if (edge > left) pixels.fill(retried, line + left, line + edge);
        // A frame shows the critical path where lines are wide enough for one.
        if (isCritical && bottom - top >= 5 * ratio && (y < top + ratio || y >= bottom - ratio)) pixels.fill(critical, line + left, line + right);
      }
      // The critical path is a mark at the right edge, too wide to be hidden by the lines around it.
      if (isCritical) for (let y = top; y < Math.max(bottom, top + Math.round(2 * ratio)) && y < height; y++) pixels.fill(critical, y * width + width - Math.round(6 * ratio), (y + 1) * width);
    }
    kept.getContext("2d").putImageData(image, 0, 0);
  };

  const draw = () => {
    frame = 0;
    if (!data || !node.isConnected) return;
    const ratio = devicePixelRatio || 1;
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const lines = order.length;
    const height = Math.round(Math.min(360, Math.max(90, lines * 14)) * ratio);
    if (canvas.width !== width || canvas.height !== height) { [canvas.width, canvas.height] = [width, height]; canvas.style.height = `${height / ratio}px`; }
    const now = seen + (performance.now() - arrived);
    const milliseconds = Math.max(1, isOpen ? axisEnd(now) : seen);
    scale = { width, height, milliseconds, ratio, gap: height / lines >= 6 * ratio ? Math.round(ratio) : 0 };
    const isNew = keptFor !== (keptFor = [width, height, milliseconds, version].join(" "));
    if (isNew) { colour = palette(); drawKept(); }
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, width, height);
    context.drawImage(kept, 0, 0);
    const css = ([r, g, b]) => `rgb(${r} ${g} ${b})`;
    for (const row of open) {
      const i = order[row];
      const [top, bottom] = lineOf(row);
      const [left, right] = barOf(i, now);
      context.fillStyle = css(colour.states[data.state[i]]);
      context.fillRect(left, top, right - left, bottom - top);
      if (data.attempts[i] > 1) { context.fillStyle = css(colour.retried); context.fillRect(left, top, Math.min(right - left, 3 * ratio), bottom - top); }
    }
    if (at < 0 || at >= lines) return;
    const [top, bottom] = lineOf(at);
    context.globalCompositeOperation = "destination-over";
    context.fillStyle = css(colour.line);
    context.fillRect(0, top, width, 1);
    context.fillRect(0, bottom - 1, width, 1);
    context.globalCompositeOperation = "source-over";
  };
  const plan = () => { frame ||= requestAnimationFrame(draw); };

  const tell = (row) => {
    if (!data || row < 0 || row >= order.length) return;
    at = row;
    const i = order[row];
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
  canvas.addEventListener("pointermove", (event) => tell(Math.floor((event.offsetY / canvas.clientHeight) * order.length)));
  canvas.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    tell(Math.max(0, Math.min(order.length - 1, at + steps[event.key])));
  });
  const observer = new ResizeObserver(plan);
  observer.observe(node);
  const repaint = () => { version++; if (data) explain(); plan(); };
  theme.addEventListener("change", repaint);

  // The legend: the phases with their shares of the time of all chunks that are done, then the states of the other tasks.
  const explain = () => {
    const rgb = palette();
    const sums = phases.map(() => 0);
    const counts = data.states.map(() => 0);
    const others = data.kinds.map(() => 0);
    for (let i = 0; i < data.task.length; i++) {
      const isMeasured = data.opening[i] >= 0 && data.ended[i] >= 0;
      const isDone = data.states[data.state[i]] === "done";
      if (isMeasured) {
        const own = [data.opening[i], data.reading[i], data.compositing[i], data.encoding[i]];
        const sum = own[0] + own[1] + own[2] + own[3];
        for (let p = 0; p < 4; p++) sums[p] += own[p];
        sums[4] += Math.max(0, data.ended[i] - data.began[i] - sum);
      } else if (isDone && kinds[data.kinds[data.kind[i]]]) others[data.kind[i]]++;
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
    // Pictures are in the order of the movie; sound, mux and publication stand last.
    order = fresh.task.map((_, i) => i);
    let end = 0;
    for (let i = 0; i < fresh.task.length; i++) end = Math.max(end, fresh.ended[i], fresh.began[i]);
    version++;
    isOpen = fresh.state.some((state) => fresh.states[state] === "running");
    open = order.filter((i) => fresh.began[i] >= 0 && fresh.ended[i] < 0);
    const grown = arrived ? seen + performance.now() - arrived : 0;
    seen = isOpen ? Math.max(end, Math.min(grown, end + 600000)) : end;
    arrived = performance.now();
    explain();
    draw();
  };
  // How long one redraw takes, and one of all lines, for scripts/check-console.
  const timed = (work) => { const begin = performance.now(); work(); return performance.now() - begin; };
  node.measure = () => timed(draw);
  canvas.spoolMeasureAll = () => timed(() => { version++; draw(); });
  canvas.spoolMeasure = node.measure;
  return { node, show, tick: plan, stop: () => { observer.disconnect(); theme.removeEventListener("change", repaint); cancelAnimationFrame(frame); } };
}
