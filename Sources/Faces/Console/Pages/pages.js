// The pages. Each fills the main part, and returns the function that ends it.
import { ask, attempt, badge, bar, clock, confirmed, count, el, every, faults, fill, get, go, long, may, moment, onFarm, post, Problem, span, stateOf, state, table } from "./console.js";
import { changes, comparison } from "./changes.js";
import { chunkMap } from "./map.js";
import { artefacts, pictures, reportLink } from "./pictures.js";
import { deeds, logs } from "./records.js";

/** The seconds since the submission. By the browser's clock only for jobs that have ended, whose waiting and running the farm has counted. */
const age = (job) => {
  const counted = job.waitedSeconds + (job.elapsedSeconds || 0);
  return job.state === "queued" || job.state === "running" ? counted : Math.max(counted, (Date.now() - Date.parse(job.submittedAt)) / 1000 || 0);
};
const link = (job) => el("a", { href: `/jobs/${job.id}`, className: "id" }, job.id);
const what = (job) => job.failure ? `${job.failure.place}: ${job.failure.reason}` : job.state === "done" ? job.output : job.state === "cancelled" ? ""
  : job.running ? `${job.running} ${job.running === 1 ? "task runs" : "tasks run"}` : job.isPaused ? "paused" : job.waitsFor || "begins";
/** The workers by name, where 2 comes before 10; those that are given nothing first, if asked for. */
const byName = new Intl.Collator("en", { numeric: true }).compare;
const inOrder = (workers, isTroubleFirst) => [...workers].sort((a, b) =>
  (isTroubleFirst && (a.state === "alive") - (b.state === "alive")) || byName(a.name, b.name));
const card = (value, name, isSmall) => el("div", { className: "card" }, el("b", { className: isSmall ? "small" : "" }, value), el("span", {}, name));

// Narrow windows leave out what is told on the job's own page.
const jobHeads = [["Job"], ["State"], ["Pri", "n extra"], ["Submitter", "cut rare"], ["Done"], ["Age", "n rare"], ["Left", "n rare"], ["Now", "rest"]];
const jobCells = (job) => [link(job), badge(stateOf(job)), String(job.priority), job.submitter, bar(job),
  span(age(job)), job.state === "queued" || job.state === "running" ? span(job.secondsLeft) : "–",
  el("div", { className: "two-lines", title: what(job) }, job.isDamaged ? "damaged media; " : null, what(job))];

export function farm(main, _, isCurrent) {
  const cards = el("div", { className: "cards" });
  const jobs = el("section");
  const others = el("div", { className: "two" });
  const actions = el("div", { className: "row mid" });
  const spent = el("section");
  main.append(el("div", { className: "row mid" }, el("h1", {}, "Farm"), actions), cards, jobs, others, spent);
  const hours = el("select", { ariaLabel: "Hours" }, [[1, "last hour"], [24, "last day"], [168, "last week"]].map(([value, word]) => el("option", { value }, word)));
  const account = async () => {
    const { time } = await get(`/api/v1/time?hours=${hours.value}`);
    if (isCurrent()) fill(shares, ...(time.length ? times(time) : [el("p", { className: "soft" }, "Nothing was counted yet.")]));
  };
  const shares = el("div");
  spent.append(el("div", { className: "row mid" }, el("h2", {}, "Where the time of the slots went"), hours), shares);
  hours.addEventListener("change", account);
  const stop = every(5000, account);
  const leave = onFarm((glance) => {
    const { farm } = glance;
    fill(actions, may("operate") ? el("button", { type: "button", "data-key": "drain", onclick: () => drain(null, !farm.drainedAt) }, farm.drainedAt ? "Give out work again" : "Drain the farm") : null);
    fill(cards, card(count(farm.jobsRunning), "jobs running"), card(count(farm.jobsQueued), "jobs queued"),
      card(`${count(farm.attemptsRunning)} / ${count(farm.slots)}`, "slots busy"), card(count(farm.workersAlive), "workers alive"),
      card(span(glance.secondsLeft), "left of all jobs, by forecast"), card(farm.isLed ? farm.leader : "nobody", "leads", true));
    fill(jobs, el("h2", {}, "Jobs"), table(jobHeads, glance.jobs.slice(0, 20).map(jobCells), "No jobs yet."),
      el("p", { className: "small" }, el("a", { href: "/jobs" }, "All jobs")));
    fill(others, el("section", {}, el("h2", {}, "Coordinators"), table([["Name", "wide"], ["State"], ["Since", "n"]],
      glance.coordinators.map((each) => [each.name, badge(each.state), span(each.seconds)]), "No coordinator is connected.")),
    el("section", {}, el("h2", {}, "Workers"), table([["Name", "cut"], ["State"], ["Busy", "n"]],
      inOrder(glance.workers, true).slice(0, 12).map((each) => [each.name, badge(each.state), `${each.running} / ${each.slots}`]), "No worker is connected."),
    el("p", { className: "small" }, el("a", { href: "/workers" }, glance.workers.length > 12 ? `All ${count(glance.workers.length)} workers` : "All workers"))));
  });
  return () => { stop(); leave(); };
}

async function drain(worker, isDrained) {
  const name = worker ?? "the whole farm";
  const words = isDrained ? `${name} is given nothing new. What runs goes on.` : `${name} is given work again.`;
  if (!await confirmed(isDrained ? `Drain ${name}?` : `End the drain of ${name}?`, el("p", {}, words), isDrained ? "Drain" : "Give work")) return;
  await attempt(() => post("/api/v1/drainage", { worker: worker ?? undefined, isDrained }));
}

export function jobs(main, _, isCurrent) {
  const query = new URLSearchParams(location.search);
  const choose = el("select", { name: "state" }, ["", "running", "queued", "paused", "done", "failed", "cancelled"].map((word) =>
    el("option", { value: word, selected: query.get("state") === word }, word || "any state")));
  const submitter = el("input", { name: "submitter", value: query.get("submitter") || "", placeholder: "anyone" });
  const since = el("input", { name: "since", type: "number", min: 1, max: 87600, value: query.get("since") || "", placeholder: "any", style: "" });
  const chosen = new Set();
  const list = el("section");
  const bulk = el("div", { className: "row mid", role: "toolbar", ariaLabel: "Change jobs" });
  let shown = { jobs: [], next: null };
  let cursors = [""];
  const filter = () => Object.fromEntries([["state", choose.value], ["submitter", submitter.value.trim()], ["since", since.value]].filter(([, value]) => value));
  const apply = (event) => {
    event?.preventDefault();
    cursors = [""];
    chosen.clear();
    history.replaceState(null, "", `/jobs?${new URLSearchParams(filter())}`);
    load();
  };
  const act = (action, level) => attempt(async () => {
    const meant = chosen.size ? { jobs: [...chosen] } : { filter: { ...filter(), since: since.value ? Number(since.value) : undefined } };
    const preview = await post("/api/v1/steering", { action, level, isPreview: true, ...meant });
    const words = el("div", {}, el("p", {}, chosen.size ? `${count(preview.count)} chosen jobs` : `All ${count(preview.count)} jobs that the filter lets through`, " are meant:"),
      el("div", { className: "sheet pad id" }, preview.jobs.slice(0, 200).join(" "), preview.count > 200 ? " …" : ""));
    if (!preview.count) { await confirmed("No job is meant", el("p", {}, "Nothing matches."), null); return; }
    if (!await confirmed(`${action === "priority" ? `Priority ${level}` : action[0].toUpperCase() + action.slice(1)}: ${count(preview.count)} jobs?`, words, `${action === "priority" ? "Set" : action[0].toUpperCase() + action.slice(1)} ${count(preview.count)}`, action === "cancel")) return;
    // The jobs of the preview are sent, so no other job is hit.
    const outcome = await post("/api/v1/steering", { action, level, jobs: preview.jobs });
    chosen.clear();
    await load();
    if (outcome.refused.length) await confirmed(`${count(outcome.jobs.length)} changed, ${count(outcome.refused.length)} not`,
      el("ul", { className: "plain faults" }, outcome.refused.slice(0, 50).map((each) => el("li", {}, el("b", { className: "id" }, each.job), " ", each.fault.text))), null);
  });
  const level = el("input", { type: "number", min: -1000, max: 1000, value: 0, ariaLabel: "New priority", size: 4 });
  const draw = () => {
    const all = el("input", { type: "checkbox", "data-key": "all", ariaLabel: "Choose all that are shown", checked: shown.jobs.length > 0 && shown.jobs.every((job) => chosen.has(job.id)),
      onchange: (event) => { for (const job of shown.jobs) event.target.checked ? chosen.add(job.id) : chosen.delete(job.id); draw(); } });
    const tick = (job) => el("input", { type: "checkbox", "data-key": job.id, ariaLabel: `Choose ${job.id}`, checked: chosen.has(job.id),
      onchange: (event) => { event.target.checked ? chosen.add(job.id) : chosen.delete(job.id); draw(); } });
    const heads = may("operate") ? [[all], ...jobHeads] : jobHeads;
    fill(list, table(heads, shown.jobs.map((job) => may("operate") ? [tick(job), ...jobCells(job)] : jobCells(job)), "No job matches."),
      el("div", { className: "row mid", style: "" }, cursors.length > 1 ? el("button", { type: "button", onclick: () => { cursors.pop(); load(); } }, "Back") : null,
        shown.next ? el("button", { type: "button", onclick: () => { cursors.push(shown.next); load(); } }, "More") : null,
        el("span", { className: "soft small" }, `${count(shown.jobs.length)} jobs shown${chosen.size ? `, ${count(chosen.size)} chosen` : ""}`)));
    if (bulk.firstChild && bulk.firstChild.textContent) bulk.firstChild.textContent = chosen.size ? `${count(chosen.size)} chosen:` : "All that match:";
  };
  const load = async () => {
    const ask = new URLSearchParams({ ...filter(), limit: 100, cursor: cursors.at(-1) });
    try { shown = await get(`/api/v1/jobs?${ask}`); } catch (error) { if (isCurrent()) list.replaceChildren(faults(error)); return; }
    if (isCurrent()) draw();
  };
  if (may("operate")) bulk.append(el("span", { className: "soft" }, "All that match:"), ...["pause", "resume", "retry", "cancel"].map((action) =>
    el("button", { type: "button", className: action === "cancel" ? "bad" : "", onclick: () => act(action) }, action[0].toUpperCase() + action.slice(1))),
  level, el("button", { type: "button", onclick: () => act("priority", Number(level.value)) }, "Set priority"));
  main.append(el("h1", {}, "Jobs"), el("form", { className: "row", onsubmit: apply, onchange: apply }, el("label", {}, "State", choose),
    el("label", {}, "Submitter", submitter), el("label", {}, "Ended in the last hours", since), el("button", {}, "Filter")), bulk, list);
  return every(2000, load);
}

const PARTS = {
  opening: "preparing chunks", reading: "fetching and decoding", compositing: "compositing", encoding: "encoding",
  committing: "starting and committing chunks", rendering: "rendering", sound: "sound", joining: "joining", publishing: "publishing",
  lost: "lost attempts", stopped: "stopped, before a retry", paused: "paused", drained: "drained", retrying: "waiting to try again",
  "no worker": "no worker", store: "waiting for the store", priority: "behind jobs of higher priority", "behind others": "behind other jobs", "handing out": "waiting to be given out",
  blocked: "waiting for results of other tasks", "behind own": "behind its own chunks", quota: "held by quotas",
  "no fitting worker": "no worker with what is needed", "set aside": "set aside", "no leader": "no coordinator led", "nothing queued": "nothing queued",
};
// The parts in which a job makes no progress are drawn pale.
const IDLE = new Set(["lost", "stopped", "paused", "drained", "store", "retrying", "no worker", "priority", "behind others", "handing out", "blocked", "behind own",
  "quota", "no fitting worker", "set aside", "no leader", "nothing queued"]);

/** The parts of a job's time: a bar that is as wide as all of them, and a table with the seconds of each. */
function times(parts) {
  const total = parts.reduce((sum, each) => sum + each.seconds, 0);
  if (!total) return [];
  const longest = [...parts].sort((a, b) => b.seconds - a.seconds);
  const share = (each) => (100 * each.seconds / total).toFixed(1) + " %";
  return [el("div", { className: "parts", role: "img", ariaLabel: longest.map((each) => `${PARTS[each.part]} ${share(each)}`).join(", ") },
    parts.map((each, place) => {
      const piece = el("span", { className: IDLE.has(each.part) ? "idle" : "busy", title: `${PARTS[each.part]}: ${span(each.seconds)}, ${share(each)}` });
      piece.style.flexGrow = each.seconds;
      piece.style.setProperty("--place", place);
      return piece;
    })),
  table([["Part", "brief"], ["Time", "n"], ["Share", "n"]], longest.map((each) => [PARTS[each.part], long(each.seconds), share(each)]), "")];
}

/** A worker that is slow beside others, and the share of a critical path that it had. */
function slowWorker(each, chain) {
  const total = chain.time.reduce((sum, part) => sum + part.seconds, 0);
  return el("p", {}, `${(100 * each.seconds / total).toFixed(1)} % of that on ${each.worker}, which takes ${each.pace.toFixed(1)} times as long as others.`);
}

/** The longest stretches of a critical path, in a line. */
function stretches({ stretches: all }) {
  const part = ({ frames, task }) => frames ? `frames ${count(frames.first)} to ${count(frames.first + frames.count - 1)}` : `task ${task}`;
  const longest = [...all].sort((a, b) => b.seconds - a.seconds).slice(0, 3);
  return el("p", { className: "soft small" }, "The longest stretches of this critical path: ",
    longest.map((each) => `${part(each)}${each.worker ? ` on ${each.worker}` : ""}: ${PARTS[each.part]}, ${span(each.seconds)}`).join("; "), ".");
}

export function job(main, id, isCurrent) {
  const [path, head, facts, why, spent, events, hands, done, written, seen, before, files] = [el("section"), el("div"), el("div", { className: "cards" }), el("section"), el("section"), el("section"), el("section"), el("section"), el("section"), el("section"), el("section"), el("section")];
  const shots = pictures(seen, id, isCurrent);
  const map = chunkMap(shots.at);
  main.append(head, facts, why, el("section", {}, el("h2", {}, "Chunks over time"), map.node), spent, path, before, seen, files, el("div", { className: "two" }, hands, events), done, written);
  comparison(before, id, isCurrent);
  let chunksTag = null;
  let listed = null;
  const steer = (action, extra) => attempt(async () => {
    const words = { cancel: "Its running attempts end. A retry goes on from what is done.", retry: "It renders what the job lacks." }[action];
    if (words && !await confirmed(`${action[0].toUpperCase() + action.slice(1)} ${id}?`, el("p", {}, words), action[0].toUpperCase() + action.slice(1), action === "cancel")) return;
    await post(`/api/v1/jobs/${id}/steering`, { action, ...extra });
    await show();
  });
  const show = async () => {
    let found;
    try { found = await get(`/api/v1/jobs/${id}`); } catch (error) { if (isCurrent()) head.replaceChildren(el("h1", {}, id), faults(error)); return; }
    if (!isCurrent()) return;
    const { job: it } = found;
    const ended = ["done", "failed", "cancelled"].includes(it.state);
    shots.ended(it.state === "done");
    // A job that is tried again may write to another place.
    if (listed !== (listed = it.state === "done" ? it.output : null)) { if (listed) artefacts(files, id, isCurrent); else files.replaceChildren(); }
    const button = (word, action, extra, kind) => el("button", { type: "button", className: kind || "", "data-key": action, onclick: () => steer(action, extra) }, word);
    fill(head, el("div", { className: "row mid" }, el("h1", { className: "id" }, id), badge(stateOf(it)), may("operate") ? [
      ended ? null : it.isPaused ? button("Resume", "resume") : button("Pause", "pause"), ended ? null : button("Cancel", "cancel", {}, "bad"),
      it.state === "failed" || it.state === "cancelled" ? button("Retry", "retry") : null] : null, reportLink(id)));
    fill(facts, card(bar(it), `${count(it.framesDone)} of ${count(it.frameCount)} frames`, true), card(`${count(it.chunksDone)} / ${count(it.chunkCount)}`, "chunks done"),
      card(it.elapsedSeconds === undefined ? "–" : span(it.elapsedSeconds), "ran"), ended ? null : card(span(it.secondsLeft), "left, by forecast"),
      card(span(it.waitedSeconds), "waited"), card(count(it.retries), "retries"), card(String(it.priority), "priority"));
    fill(spent, el("h2", {}, "Where the time went"), ...times(found.time));
    fill(why, el("h2", {}, "Why"), el("div", { className: "sheet pad" }, el("dl", {}, it.failure ? null : [el("dt", {}, "State"), el("dd", {}, found.reasons.map((reason) => el("div", {}, reason)))],
      it.failure ? [el("dt", {}, "Failure"), el("dd", { className: "failed" }, `${it.failure.class}: ${it.failure.place}: ${it.failure.reason}`)] : null,
      found.trouble ? [el("dt", {}, "Trouble"), el("dd", {}, found.trouble)] : null,
      found.concealed.length ? [el("dt", {}, "Damaged media"), el("dd", {}, found.concealed.map((each) => el("div", {}, `${each.asset}: ${each.frames} frames and ${each.samples} samples replaced`)))] : null,
      found.loudness?.integrated === undefined ? null : [el("dt", {}, "Loudness"), el("dd", {}, `${found.loudness.integrated} LUFS, ${found.loudness.truePeak} dBTP; the mix has ${found.loudness.measured} LUFS`)],
      el("dt", {}, "Movie"), el("dd", { className: "id" }, it.output), el("dt", {}, "Submitter"), el("dd", {}, it.submitter), el("dt", {}, "Submitted"), el("dd", {}, clock(it.submittedAt)))));
  };
  const chunks = async () => {
    const response = await ask(`/api/v1/jobs/${id}/chunks`, { headers: chunksTag ? { "If-None-Match": chunksTag } : {} });
    if (response.status === 304) { map.tick(); return; }
    chunksTag = response.headers.get("ETag");
    const data = await response.json();
    if (!isCurrent()) return;
    map.show(data);
    const sums = data.workers.map((name) => ({ name, tasks: 0, frames: 0, milliseconds: 0, running: 0 }));
    for (let i = 0; i < data.task.length; i++) {
      const sum = sums[data.worker[i]];
      if (!sum) continue;
      if (data.ended[i] < 0) { sum.running++; continue; }
      sum.tasks++;
      if (data.first[i] >= 0) { sum.frames += data.frames[i]; sum.milliseconds += data.ended[i] - data.began[i]; }
    }
    fill(hands, el("h2", {}, "Workers"), table([["Worker", "cut"], ["Runs", "n"], ["Tasks", "n"], ["Frames", "n"], ["Frames a second", "n"]],
      sums.sort((a, b) => b.frames - a.frames).slice(0, 200).map((sum) => [sum.name, count(sum.running), count(sum.tasks), count(sum.frames),
        sum.milliseconds ? (1000 * sum.frames / sum.milliseconds).toFixed(1) : "–"]), "No worker has had a part of it yet."));
  };
  const past = async () => {
    const { entries } = await get(`/api/v1/jobs/${id}/history?limit=100`);
    if (!isCurrent()) return;
    const name = (entry) => entry.entity === "attempt" ? `task ${entry.task}, attempt ${entry.number}` : entry.task ? `task ${entry.task}` : entry.entity;
    fill(events, el("h2", {}, "Events"), table([["Time"], ["What"], ["Change"], ["Worker", "cut"], ["Reason", "wide"]], entries.map((entry) =>
      [moment(entry.at), name(entry), entry.before ? `${entry.before} → ${entry.after}` : entry.after, entry.worker || "", entry.reason || ""]), "Nothing yet."));
    const sheet = events.querySelector(".sheet");
    if (sheet) sheet.style.maxHeight = "420px";
    const { path: chain, slow } = await get(`/api/v1/why?about=${id}`);
    if (isCurrent() && chain) fill(path, el("h2", {}, "What its end waited for"), ...times(chain.time), ...(slow || []).map((each) => slowWorker(each, chain)), stretches(chain));
    const { entries: audit } = await get(`/api/v1/audit?job=${id}&limit=50`);
    if (isCurrent()) fill(done, el("h2", {}, "Who did what"), deeds(audit, false));
  };
  const stops = [every(1500, show), every(2000, chunks), every(3000, past), logs(written, id, isCurrent)];
  return () => { stops.forEach((stop) => stop()); map.stop(); shots.stop(); };
}

export function workers(main, _, isCurrent) {
  const list = el("section");
  main.append(el("h1", {}, "Workers"), el("p", { className: "soft rare" }, "Speeds are those beside the other workers, as learned from results. Failures are those of the last hour."), list);
  return every(2000, async () => {
    const all = await get("/api/v1/workers");
    if (!isCurrent()) return;
    const heads = [["Worker", "cut"], ["Host", "cut extra"], ["State"], ["Busy", "n"], ["Runs", "wide brief rare"], ["Speed", "n rare"], ["Failed", "n rare"], ["Heartbeat", "n"], ["Memory a slot", "n extra"], ["Tags", "cut extra"], ...(may("operate") ? [["Drain"]] : [])];
    fill(list, table(heads, inOrder(all).map((each) => [each.name, each.host, badge(each.state), `${each.running} / ${each.slots}`,
      (each.jobs || []).slice(0, 2).flatMap((id) => [el("a", { href: `/jobs/${id}`, className: "id" }, id), " "]).concat((each.jobs || []).length > 2 ? `and ${count(each.jobs.length - 2)} more` : []),
      each.pace ? el("span", { title: "beside the others" }, `${(1 / each.pace).toFixed(2)} ×`) : "–", each.failuresLastHour ? count(each.failuresLastHour) : "–",
      `${span(each.secondsSinceHeartbeat)} ago`,
      each.capabilities.memory ? `${count(each.capabilities.memory)} MiB` : "–",
      el("span", { title: each.capabilities.tags.join(" ") }, each.capabilities.tags.filter((tag) => !tag.startsWith("font=")).join(" ") || "–"),
      ...(may("operate") ? [el("button", { type: "button", "data-key": `drain ${each.name}`, onclick: () => drain(each.name, each.state !== "drained") }, each.state === "drained" ? "Give work" : "Drain")] : [])]), "No worker has ever connected."));
  });
}

export function submitters(main, _, isCurrent) {
  const list = el("section");
  main.append(el("h1", {}, "Submitters and shares"), el("p", { className: "soft" }, "Among jobs of one priority, submitters take turns in proportion to their weights. A quota bounds the attempts that run at once."), list);
  const change = async (each) => {
    const weight = el("input", { type: "number", min: 1, max: 1000, value: each.weight });
    const slots = el("input", { type: "number", min: 0, max: 1000000, value: each.slots ?? "", placeholder: "none" });
    if (!await confirmed(`The share of ${each.name}`, el("div", { className: "row" }, el("label", {}, "Weight", weight), el("label", {}, "Quota (empty: none)", slots)), "Change")) return;
    await attempt(() => post("/api/v1/shares", { submitter: each.name, weight: Number(weight.value), slots: slots.value === "" ? "none" : Number(slots.value) }));
  };
  return every(2000, async () => {
    const { submitters: all } = await get("/api/v1/shares");
    if (!isCurrent()) return;
    fill(list, table([["Submitter", "cut"], ["Weight", "n"], ["Running", "n"], ["Quota", "n"], ["Open jobs", "n"], ...(may("operate") ? [["Share"]] : [])], all.map((each) => [
      el("a", { href: `/jobs?submitter=${encodeURIComponent(each.name)}` }, each.name), String(each.weight), count(each.running), each.slots ?? "none", count(each.jobs),
      ...(may("operate") ? [el("button", { type: "button", "data-key": `share ${each.name}`, onclick: () => change(each) }, "Change")] : [])]), "Nobody has submitted anything."));
  });
}

export function submit(main, _, isCurrent) {
  const text = el("textarea", { spellcheck: false, ariaLabel: "Document", value: sessionStorage.getItem("spool-document") || '{\n  "spool": 1\n}\n' });
  const file = el("input", { type: "file", accept: ".json,application/json", onchange: async () => { if (file.files[0]) { text.value = await file.files[0].text(); changed(); } } });
  const output = el("input", { placeholder: "/srv/output/movie.mp4", size: 36, value: sessionStorage.getItem("spool-output") || "" });
  const priority = el("input", { type: "number", min: -1000, max: 1000, value: 0 });
  const time = el("input", { value: "0", size: 10 });
  const [verdict, picture, send] = [el("div"), el("div"), el("button", { type: "button", className: "main", disabled: true }, "Submit")];
  let [turn, timer, key] = [0, null, null];
  const query = () => `output=${encodeURIComponent(output.value.trim())}&priority=${priority.value || 0}`;
  const patiently = async (work) => {
    for (let i = 0; ; i++) { try { return await work(); } catch (error) { if (error.status !== 503 || i > 20 || !isCurrent()) throw error; await new Promise((go) => setTimeout(go, 700)); } }
  };
  const check = async () => {
    const mine = ++turn;
    send.disabled = true;
    verdict.replaceChildren(el("p", { className: "soft" }, "Checking the document and its media …"));
    try {
      const report = await patiently(() => post("/api/v1/documents/validate", text.value));
      if (mine !== turn) return;
      let past = [];
      const size = report.renderSize ? `${report.renderSize.width} × ${report.renderSize.height}, ` : "";
      const lines = [el("li", { className: "good" }, `The document holds: ${size}${count(report.frameCount)} frames, ${count(report.sampleCount)} samples.`),
        ...report.warnings.map((each) => el("li", { className: "warn" }, el("b", { className: "id" }, each.path), " ", each.text))];
      if (output.value.trim()) {
        const plan = await patiently(() => post(`/api/v1/plan?${query()}`, text.value));
        if (mine !== turn) return;
        lines.push(el("li", { className: "good" }, `It would be ${count(plan.chunkCount)} chunks${plan.output ? `, written to ${plan.output}` : ""}: about ${span(plan.seconds)} on ${count(plan.slots)} free slots, ${span(plan.coreSeconds)} of one core.`));
        if (plan.comparison) past = changes(plan.comparison, plan.chunks);
        send.disabled = false;
      } else lines.push(el("li", { className: "warn" }, "Name the movie's file to submit it."));
      verdict.replaceChildren(el("ul", { className: "plain faults" }, lines), ...past);
      if (report.renderSize) await preview();
    } catch (error) { if (mine === turn) verdict.replaceChildren(faults(error)); }
  };
  const preview = async () => {
    const mine = turn;
    picture.replaceChildren(el("p", { className: "soft" }, "Making the frame …"));
    try {
      const response = await patiently(() => ask(`/api/v1/documents/frame?time=${encodeURIComponent(time.value.trim() || "0")}`, { method: "POST", body: text.value }));
      const url = URL.createObjectURL(await response.blob());
      if (mine !== turn) return;
      picture.replaceChildren(el("img", { className: "frame", src: url, alt: `Frame at ${time.value} s`, onload: () => URL.revokeObjectURL(url) }),
        el("p", { className: "soft small" }, `Frame ${response.headers.get("Spool-Frame-Index")} at ${response.headers.get("Spool-Frame-Time")} s`));
    } catch (error) { if (mine === turn) picture.replaceChildren(faults(error)); }
  };
  const changed = () => {
    [turn, key, send.disabled] = [turn + 1, null, true];
    sessionStorage.setItem("spool-document", text.value);
    sessionStorage.setItem("spool-output", output.value);
    clearTimeout(timer);
    timer = setTimeout(check, 900);
  };
  send.addEventListener("click", () => attempt(async () => {
    send.disabled = true;
    key ??= crypto.randomUUID?.() ?? String(Math.random()).slice(2);
    try {
      const job = await patiently(() => post(`/api/v1/jobs?${query()}`, text.value, { "Idempotency-Key": key }));
      go(`/jobs/${job.job}`);
    } finally { send.disabled = false; }
  }));
  for (const input of [text, output, priority]) input.addEventListener("input", changed);
  main.append(el("h1", {}, "Submit an edit"), may("submit") ? el("div", { className: "two" },
    el("section", {}, el("div", { className: "row" }, el("label", {}, "Document from a file", file)), text),
    el("section", {}, el("div", { className: "row" }, el("label", {}, "Movie", output), el("label", {}, "Priority", priority), el("button", { type: "button", onclick: check }, "Check"), send),
      verdict, el("h2", {}, "Preview"), el("form", { className: "row", onsubmit: (event) => { event.preventDefault(); preview(); } }, el("label", {}, "Time (seconds or timecode)", time), el("button", {}, "Show frame")), picture))
    : el("p", { className: "sheet pad" }, "To submit takes a token with the role submit. Sign in at the top."));
  if (may("submit") && text.value.trim().length > 20) check();
  return () => { turn++; clearTimeout(timer); };
}
