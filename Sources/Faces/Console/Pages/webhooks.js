// The page of the webhooks: where events are sent, and what was sent.
import { attempt, clock, confirmed, count, el, every, faults, fill, get, may, post, table } from "./console.js";

const EVENTS = ["job.submitted", "job.started", "job.done", "job.failed", "job.cancelled", "job.retried"];

async function edit(old) {
  const field = (label, input) => el("label", {}, label, input);
  const name = el("input", { value: old?.name || "", disabled: Boolean(old), placeholder: "portal" });
  const url = el("input", { value: old?.url || "", size: 40, placeholder: "https://portal.example/hooks" });
  const submitter = el("input", { value: old?.submitter || "", placeholder: "anyone" });
  const chosen = old?.events || ["job.done", "job.failed", "job.cancelled"];
  const boxes = EVENTS.map((event) => el("input", { type: "checkbox", checked: chosen.includes(event), value: event }));
  const isPrivate = el("input", { type: "checkbox", checked: old?.mayBePrivate || false });
  const renews = el("input", { type: "checkbox" });
  const content = el("div", {}, el("div", { className: "row" }, field("Name", name), field("URL", url), field("Submitter", submitter)),
    el("div", { className: "row" }, boxes.map((box) => el("label", {}, box, box.value))),
    el("div", { className: "row" }, el("label", {}, isPrivate, "may be in a private network"), old ? el("label", {}, renews, "new secret") : null));
  if (!await confirmed(old ? `Change ${old.name}` : "New webhook", content, "Save")) return;
  await attempt(async () => {
    const made = await post("/api/v1/webhooks", { name: name.value.trim(), url: url.value.trim(), submitter: submitter.value.trim() || undefined,
      events: boxes.filter((box) => box.checked).map((box) => box.value), mayBePrivate: isPrivate.checked, renewsSecret: renews.checked });
    if (made.secret) await confirmed("Its secret", el("div", {}, el("p", {}, "The receiver checks signatures with it. It is shown this once."), el("p", { className: "id" }, made.secret)), null);
  });
}

const state = (each) => each.deliveredAt ? `delivered ${clock(each.deliveredAt)}` : each.dueAt ? each.tries ? `next try ${clock(each.dueAt)}: ${each.failure || ""}` : "waits" : `given up: ${each.failure || ""}`;

export function webhooks(main, _, isCurrent) {
  const [list, log] = [el("section"), el("section")];
  if (!may("operate")) { main.append(el("h1", {}, "Webhooks"), el("p", { className: "sheet pad" }, "To see webhooks takes a token with the role operate.")); return null; }
  const remove = async (each) => {
    if (await confirmed(`Remove ${each.name}?`, el("p", {}, `${count(each.waiting)} messages that wait are not sent.`), "Remove", true)) await attempt(() => post("/api/v1/webhooks/removal", { name: each.name }));
  };
  main.append(el("div", { className: "row mid" }, el("h1", {}, "Webhooks"), el("button", { type: "button", onclick: () => edit(null) }, "New webhook")), list, el("h2", {}, "Deliveries"), log);
  return every(3000, async () => {
    try {
      const [{ webhooks: all }, { deliveries }] = [await get("/api/v1/webhooks"), await get("/api/v1/deliveries?limit=100")];
      if (!isCurrent()) return;
      fill(list, table([["Name"], ["URL", "cut"], ["Events", "wide"], ["Submitter", "cut extra"], ["Waiting", "n"], ["Failing", "n"], ["Change"]], all.map((each) => [
        each.name, each.url, each.events.join(" "), each.submitter ?? "anyone", count(each.waiting), count(each.failing),
        el("span", {}, el("button", { type: "button", "data-key": `edit ${each.name}`, onclick: () => edit(each) }, "Change"), " ",
          el("button", { type: "button", className: "bad", "data-key": `remove ${each.name}`, onclick: () => remove(each) }, "Remove"))]), "No webhooks."));
      fill(log, table([["Number", "n"], ["Webhook", "cut"], ["Event"], ["Job"], ["Made", "brief extra"], ["Tries", "n extra"], ["State", "wide"], ["Again"]], deliveries.map((each) => [
        String(each.id), each.webhook, each.event, el("a", { href: `/jobs/${each.job}`, className: "id" }, each.job), clock(each.madeAt), String(each.tries), state(each),
        el("button", { type: "button", "data-key": `replay ${each.id}`, onclick: () => attempt(() => post("/api/v1/deliveries/replay", { delivery: each.id })) }, "Send again")]), "Nothing was sent yet."));
    } catch (error) { if (isCurrent()) list.replaceChildren(faults(error)); }
  });
}
