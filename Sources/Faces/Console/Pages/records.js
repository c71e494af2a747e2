// What the farm has written down: what attempts wrote, and who did what.
import { clock, count, el, every, faults, fill, get, table } from "./console.js";

/// What the attempts of a job wrote, in a section of its page. Returns the function that ends it.
export function logs(section, id, isCurrent) {
  const words = el("input", { placeholder: "any words", ariaLabel: "Only logs with these words", "data-key": "log words" });
  const list = el("div");
  const load = async () => {
    const query = new URLSearchParams({ about: id, limit: 50, containing: words.value.trim() });
    let found;
    try { found = (await get(`/api/v1/logs?${query}`)).logs; } catch (error) { if (isCurrent()) list.replaceChildren(faults(error)); return; }
    if (!isCurrent()) return;
    fill(list, ...(found.length ? found.map((log) => el("div", { className: "sheet pad log", tabIndex: 0, role: "region", ariaLabel: `Attempt ${log.task}/${log.number}` },
      el("p", {}, el("b", { className: "id" }, `${log.task}/${log.number}`), ` ${log.frames ? `frames ${log.frames.first}..${log.frames.first + log.frames.count}` : log.kind}, ${log.worker}, ${log.outcome || "running"}, ${count(log.byteCount)} bytes`),
      el("pre", {}, log.text))) : [el("div", { className: "sheet" }, el("p", { className: "empty" }, words.value.trim() ? "No attempt wrote these words." : "No attempt has written anything."))]));
  };
  section.append(el("h2", {}, "What attempts wrote"), el("form", { className: "row", onsubmit: (event) => { event.preventDefault(); load(); } },
    el("label", {}, "Containing", words), el("button", {}, "Search")), list);
  return every(5000, load);
}

/// The rows of the audit as a table.
export function deeds(entries, withJob) {
  const change = (each) => each.refusal ? `refused${each.times > 1 ? ` ${each.times} times` : ""}: ${each.refusal}` : each.changes.map((one) => `${one.fact} ${each.verb === "submit" ? "" : `${one.before ?? "none"} → `}${one.after ?? "none"}`).join(", ");
  const object = (each) => each.job ? el("a", { href: `/jobs/${each.job}`, className: "id" }, each.job) : each.worker ?? each.webhook ?? (each.verb === "share" ? each.submitter : each.verb.endsWith("drain") ? "the farm" : each.changes[0]?.fact === "jobs" ? `${each.changes[0].after} jobs` : "–");
  return table([["Time", "brief"], ["Who", "cut"], ["From", "cut extra"], ["Verb"], ...(withJob ? [["What", "cut"]] : []), ["Change", "wide"]], entries.map((each) => [
    clock(each.at), el("span", { title: `role ${each.role} of the database, ${each.program}` }, each.caller ?? each.role), each.peer ?? each.address ?? "the database's machine",
    each.verb, ...(withJob ? [object(each)] : []), change(each)]), "Nothing was done.");
}

export function audit(main, _, isCurrent) {
  const query = new URLSearchParams(location.search);
  const verb = el("select", {}, ["", "submit", "cancel", "pause", "resume", "prioritise", "retry", "drain", "undrain", "share", "webhook", "replay", "steer"].map((word) =>
    el("option", { value: word, selected: query.get("verb") === word }, word || "any verb")));
  const who = el("input", { value: query.get("who") || "", placeholder: "anyone" });
  const refused = el("input", { type: "checkbox", checked: query.has("refused") });
  const list = el("section");
  let pages = [""];
  const load = async () => {
    const filter = Object.fromEntries([["verb", verb.value], ["who", who.value.trim()], ["refused", refused.checked]].filter(([, value]) => value));
    let found;
    try { found = await get(`/api/v1/audit?${new URLSearchParams({ ...filter, limit: 100, ...(pages.at(-1) ? { before: pages.at(-1) } : {}) })}`); } catch (error) { if (isCurrent()) list.replaceChildren(faults(error)); return; }
    if (!isCurrent()) return;
    fill(list, deeds(found.entries, true), el("div", { className: "row mid" },
      pages.length > 1 ? el("button", { type: "button", "data-key": "newer", onclick: () => { pages.pop(); load(); } }, "Newer") : null,
      found.next ? el("button", { type: "button", "data-key": "older", onclick: () => { pages.push(found.next); load(); } }, "Older") : null));
  };
  const apply = (event) => { event.preventDefault(); pages = [""]; load(); };
  main.append(el("h1", {}, "Who did what"), el("form", { className: "row", onsubmit: apply, onchange: apply }, el("label", {}, "Verb", verb), el("label", {}, "Who", who), el("label", { className: "tick" }, refused, " Only refused"), el("button", {}, "Filter")), list);
  return every(3000, load);
}
