// The map of a job: each chunk is a line from left (its beginning) to right (its end); the movie runs from top to bottom.
// All tasks are drawn once into pixels of their own, so that 100,000 of them cost no more than the picture has pixels.
import { count, el } from "./console.js";

const colours = { waiting: "--queued", ready: "--queued", running: "--running", done: "--done", failed: "--failed", cancelled: "--cancelled" };

export function chunkMap() {
  const canvas = el("canvas", { tabIndex: 0, role: "img", ariaLabel: "Map of the job's chunks over time" });
  const tip = el("div", { id: "tip", ariaLive: "polite" }, "Point at a chunk, or move with the arrow keys.");
  const legend = el("div", { className: "legend" });
  const node = el("div", { className: "sheet" }, legend, canvas, tip);
  let [data, order, seen, at, frame, arrived] = [null, [], 0, -1, 0, 0];
  let scale = { width: 1, height: 1, milliseconds: 1 };
  const theme = matchMedia("(prefers-color-scheme: dark)");

  const palette = () => {
    const probe = el("span", { hidden: true });
    node.append(probe);
    const rgb = (name) => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number); };
    const found = { states: data.states.map((state) => rgb(colours[state] || "--queued")), retried: rgb("--paused"), line: rgb("--line") };
    probe.remove();
    return found;
  };

  const draw = () => {
    frame = 0;
    if (!data || !node.isConnected) return;
    const ratio = devicePixelRatio || 1;
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const lines = order.length;
    const height = Math.round(Math.min(360, Math.max(90, lines * 14)) * ratio);
    if (canvas.width !== width || canvas.height !== height) { [canvas.width, canvas.height] = [width, height]; canvas.style.height = `${height / ratio}px`; }
    const context = canvas.getContext("2d");
    const now = seen + (performance.now() - arrived);
    const open = data.state.some((state) => data.states[state] === "running");
    const milliseconds = Math.max(1, open ? now : seen);
    scale = { width, height, milliseconds };
    const image = context.createImageData(width, height);
    const pixels = image.data;
    const { states, retried, line } = palette();
    const gap = height / lines >= 6 * ratio ? Math.round(ratio) : 0;
    for (let row = 0; row < lines; row++) {
      const i = order[row];
      const top = Math.floor((row * height) / lines);
      const bottom = Math.max(top + 1, Math.floor(((row + 1) * height) / lines) - gap);
      const began = data.began[i];
      const isOpen = data.ended[i] < 0;
      const left = began < 0 ? 0 : Math.min(width - 1, Math.floor((began / milliseconds) * width));
      const right = began < 0 ? Math.max(2, Math.round(4 * ratio)) : Math.min(width, Math.max(left + Math.ceil(ratio), Math.ceil(((isOpen ? milliseconds : data.ended[i]) / milliseconds) * width)));
      const colour = states[data.state[i]];
      for (let y = top; y < bottom && y < height; y++) {
        let p = (y * width + left) * 4;
        for (let x = left; x < right; x++, p += 4) { pixels[p] = colour[0]; pixels[p + 1] = colour[1]; pixels[p + 2] = colour[2]; pixels[p + 3] = 255; }
        if (data.attempts[i] > 1 && began >= 0) {
          p = (y * width + left) * 4;
          for (let x = left; x < Math.min(right, left + 3 * ratio); x++, p += 4) { pixels[p] = retried[0]; pixels[p + 1] = retried[1]; pixels[p + 2] = retried[2]; pixels[p + 3] = 255; }
        }
      }
      if (row === at) for (const y of [top, bottom - 1]) for (let x = 0, p = y * width * 4; x < width; x++, p += 4) if (!pixels[p + 3]) { pixels[p] = line[0]; pixels[p + 1] = line[1]; pixels[p + 2] = line[2]; pixels[p + 3] = 255; }
    }
    context.putImageData(image, 0, 0);
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
    tip.textContent = [`task ${data.task[i]}`, frames, data.states[data.state[i]], when, worker ? `on ${worker}` : null, data.attempts[i] > 1 ? `${data.attempts[i]} attempts` : null].filter(Boolean).join(" · ");
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
  theme.addEventListener("change", plan);

  const show = (fresh) => {
    data = fresh;
    // Pictures are in the order of the movie; sound, mux and publication stand last.
    order = fresh.task.map((_, i) => i);
    let end = 0;
    for (let i = 0; i < fresh.task.length; i++) end = Math.max(end, fresh.ended[i], fresh.began[i]);
    const running = fresh.state.some((state) => fresh.states[state] === "running");
    const grown = arrived ? seen + performance.now() - arrived : 0;
    seen = running ? Math.max(end, Math.min(grown, end + 600000)) : end;
    arrived = performance.now();
    const counts = fresh.states.map(() => 0);
    for (const state of fresh.state) counts[state]++;
    legend.replaceChildren(...fresh.states.map((state, i) => {
      const mark = el("i");
      mark.style.background = `var(${colours[state]})`;
      return counts[i] ? el("span", {}, mark, `${state} ${count(counts[i])}`) : null;
    }).filter(Boolean), el("span", {}, Object.assign(el("i"), { className: "again" }), "yellow edge: tried again"),
    el("span", {}, `${(Math.max(1, seen) / 1000).toFixed(1)} s since submission, left to right`));
    legend.querySelector(".again").style.background = "var(--paused)";
    draw();
  };
  // How long one redraw takes, for scripts/check-console.
  node.measure = () => { const begin = performance.now(); draw(); return performance.now() - begin; };
  canvas.spoolMeasure = node.measure;
  return { node, show, tick: plan, stop: () => { observer.disconnect(); theme.removeEventListener("change", plan); cancelAnimationFrame(frame); } };
}
