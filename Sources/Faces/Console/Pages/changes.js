// What changed from an earlier job to an edit, on the page of a job and where an edit is submitted.
import { count, el, faults, fill, get, may, span, table } from "./console.js";

const MOST = 100;

/** The changes of the documents, and the chunks that are not as before. `chunks` have `frames`, `start` and `finding`. */
export function changes(comparison, chunks) {
  const others = chunks.filter((each) => each.finding && each.finding.kind !== "same");
  const link = el("a", { href: `/jobs/${comparison.job}`, className: "id" }, comparison.job);
  return [el("p", {}, `${count(comparison.sameChunks)} of ${count(chunks.length)} chunks show what job `, link, " has rendered."),
    comparison.changes.length ? el("ul", { className: "plain faults" }, comparison.changes.slice(0, MOST).map((each) => el("li", { className: "id" }, each.text)))
      : el("p", { className: "soft" }, "The documents are the same."),
    others.length ? table([["Frames"], ["From", "n"], ["What is new", "wide"]], others.slice(0, MOST).map((each) =>
      [`${each.frames.first}–${each.frames.first + each.frames.count - 1}`, span(each.start), each.finding.text]), "") : null,
    others.length > MOST ? el("p", { className: "soft small" }, `${count(others.length - MOST)} more chunks are not as before.`) : null].filter(Boolean);
}

/** The section of a job's page that compares it with the job before, when somebody asks. */
export function comparison(section, id, isCurrent) {
  if (!may("submit")) return;
  const found = el("div");
  const compare = async () => {
    fill(found, el("p", { className: "soft" }, "Comparing …"));
    try {
      const { comparison: result, chunks } = await get(`/api/v1/jobs/${id}/changes`);
      if (isCurrent()) fill(found, ...changes(result, chunks));
    } catch (error) { if (isCurrent()) fill(found, faults(error)); }
  };
  section.append(el("h2", {}, "What changed"), el("div", { className: "sheet pad" },
    el("button", { type: "button", onclick: compare }, "Compare with the job that wrote this movie before"), found));
}
