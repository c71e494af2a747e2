// The frame of all pages: the API, the live state of the farm, the router and small parts of pages.
// Text from the farm reaches a page only as text nodes, never as markup.
import * as pages from "./pages.js";
import { audit } from "./records.js";
import { webhooks } from "./webhooks.js";

const token = () => sessionStorage.getItem("spool-token");
export const state = { farm: null, role: "none", name: null };
let leave = null;
let current = 0;

export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail || body?.title || `The server answered ${status}`);
    this.status = status;
    this.faults = body?.faults || [];
  }
}

/// Asks the API. `body` is sent as it is when it is text, else as JSON. Returns the response.
export async function ask(path, { method = "GET", body, headers = {}, signal } = {}) {
  const sent = { ...headers };
  if (token()) sent.Authorization = `Bearer ${token()}`;
  if (method !== "GET") sent["Content-Type"] = "application/json";
  const text = body === undefined || typeof body === "string" ? body ?? (method === "GET" ? undefined : "{}") : JSON.stringify(body);
  const response = await fetch(path, { method, headers: sent, body: text, signal, cache: "no-store" });
  if (response.ok || response.status === 304) return response;
  let problem = null;
  try { problem = await response.json(); } catch { /* A proxy's answer may be no JSON. */ }
  throw new Problem(response.status, problem);
}
export const get = async (path) => (await ask(path)).json();
export const post = async (path, body, headers) => (await ask(path, { method: "POST", body, headers })).json();

/// Makes an element. Properties that begin with "on" are listeners; children are nodes or text.
export function el(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key in node && key !== "list") node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined).map(plain));
  return node;
}

/// Text in which nothing steers a terminal or the direction of writing.
function plain(child) {
  if (typeof child === "object") return child;
  return String(child).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
}

export const span = (seconds) => {
  if (seconds === null || seconds === undefined) return "–";
  const s = Math.max(0, Math.round(seconds));
  if (s < 100) return `${s} s`;
  if (s < 6000) return `${Math.round(s / 60)} min`;
  if (s < 172800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86400)} d`;
};
/// A time to a tenth of a second, or from two minutes on as a clock: 12.3 s, 4:05, 20:05:02.
export const long = (seconds) => {
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  const s = Math.round(seconds);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(s / 3600), Math.floor(s / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(s % 60)}` : `${minutes}:${two(s % 60)}`;
};
export const count = (number) => number.toLocaleString("en-GB");
export const clock = (text) => (text ? new Date(text).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" }) : "–");
/// The time of day, and before it the day unless it is today.
export const moment = (text) => {
  const at = new Date(text);
  const day = at.toDateString() === new Date().toDateString() ? "" : `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, `;
  return day + at.toLocaleTimeString("en-GB");
};
export const stateOf = (job) => (job.isPaused && (job.state === "queued" || job.state === "running") ? "paused" : job.state);
export const badge = (word) => el("span", { className: `state ${word.split(" ")[0]}` }, word);
export const may = (role) => ["none", "view", "submit", "operate"].indexOf(state.role) >= ["none", "view", "submit", "operate"].indexOf(role);

export function bar(job) {
  const share = job.frameCount ? Math.min(100, Math.floor((100 * job.framesDone) / job.frameCount)) : job.state === "done" ? 100 : 0;
  const fill = el("i");
  fill.style.width = `${share}%`;
  return [el("span", { className: `bar ${job.state}`, "aria-hidden": "true" }, fill), `${share} %`];
}

export function table(heads, rows, empty) {
  if (!rows.length) return el("div", { className: "sheet" }, el("p", { className: "empty" }, empty));
  const head = el("tr", {}, heads.map(([text, kind]) => el("th", { className: kind || "", scope: "col" }, text)));
  const body = rows.map((cells) => el("tr", {}, cells.map((cell, i) => el("td", { className: heads[i][1] || "" }, cell))));
  return el("div", { className: "sheet", tabIndex: 0, role: "region", ariaLabel: "Table" },
    el("table", {}, el("thead", {}, head), el("tbody", {}, body)));
}

/// Replaces what a node holds, unless the user has focus in it or the same is there already.
export function fill(node, ...children) {
  const fresh = el("div", {}, children);
  if (fresh.innerHTML === node.innerHTML && !node.querySelector("input,select,button")) return;
  const tops = [...node.querySelectorAll(".sheet")].map((sheet) => [sheet.scrollTop, sheet.scrollLeft]);
  const focused = node.contains(document.activeElement) ? document.activeElement.getAttribute("data-key") || document.activeElement.getAttribute("href") : null;
  node.replaceChildren(...fresh.childNodes);
  [...node.querySelectorAll(".sheet")].forEach((sheet, i) => { if (tops[i]) [sheet.scrollTop, sheet.scrollLeft] = tops[i]; });
  if (focused) [...node.querySelectorAll("[data-key],[href]")].find((n) => (n.getAttribute("data-key") || n.getAttribute("href")) === focused)?.focus();
}

export function faults(error) {
  const list = error.faults?.length ? error.faults : [{ path: "", text: error.message }];
  return el("ul", { className: "plain faults", role: "alert" }, list.map((fault) => el("li", {},
    fault.path ? el("b", { className: "id" }, fault.path) : null, fault.path ? " " : null, fault.text,
    fault.suggestion ? el("span", { className: "soft" }, ` — did you mean ${fault.suggestion}?`) : null)));
}

/// Asks in a dialog. Returns whether the user agreed.
export function confirmed(title, content, action, isBad) {
  const dialog = document.getElementById("dialog");
  return new Promise((resolve) => {
    const end = (answer) => { dialog.close(); resolve(answer); };
    dialog.oncancel = () => resolve(false);
    dialog.replaceChildren(el("h2", {}, title), content, el("div", { className: "row" },
      action ? el("button", { className: isBad ? "bad" : "main", type: "button", onclick: () => end(true) }, action) : null,
      el("button", { type: "button", onclick: () => end(false) }, action ? "Do nothing" : "Close")));
    dialog.showModal();
  });
}

export async function attempt(work) {
  try { await work(); } catch (error) { await confirmed("That did not work", faults(error), null); }
}

// Pages are found by their paths, and links are followed without loading anything anew.
export function go(path) { history.pushState(null, "", path); route(); }

function route() {
  const path = location.pathname;
  const turn = ++current;
  leave?.();
  leave = null;
  const main = document.getElementById("main");
  const job = path.match(/^\/jobs\/([a-z0-9]{1,32})$/);
  const page = job ? pages.job : { "/": pages.farm, "/jobs": pages.jobs, "/workers": pages.workers, "/submitters": pages.submitters, "/submit": pages.submit, "/audit": audit, "/webhooks": webhooks }[path] || pages.farm;
  for (const link of document.querySelectorAll("nav a")) {
    const own = link.getAttribute("href");
    if (own === path || (own === "/jobs" && job)) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  main.replaceChildren();
  const stop = page(main, job?.[1], () => turn === current);
  leave = stop;
  document.title = `${job ? job[1] : document.querySelector("nav a[aria-current]")?.textContent || "Farm"} · Spool`;
}

const listeners = new Set();
export function onFarm(listener) {
  listeners.add(listener);
  if (state.farm) listener(state.farm);
  return () => listeners.delete(listener);
}

/// Repeats `work` while the page is seen, and stops when the function that is returned is called.
export function every(milliseconds, work) {
  let timer = null;
  let over = false;
  const turn = async () => {
    const begin = performance.now();
    if (!document.hidden) { try { await work(); } catch (error) { if (error.status === 401) return; } }
    if (!over) timer = setTimeout(turn, Math.max(milliseconds, 5 * (performance.now() - begin)));
  };
  turn();
  return () => { over = true; clearTimeout(timer); };
}

function banner(glance) {
  const lines = [];
  const { farm } = glance;
  if (!farm.isLed) lines.push(farm.leader ? `Nobody leads: no coordinator gives out work. ${farm.leader} did, and was heard last ${span(farm.secondsSinceLed)} ago.` : "Nobody leads: no coordinator has given out work yet.");
  if (farm.drainedAt) lines.push(`The farm is drained since ${clock(farm.drainedAt)}: nothing is begun.`);
  if (farm.isLed && !farm.workersAlive) lines.push("No worker is connected.");
  const node = document.getElementById("banner");
  node.hidden = !lines.length;
  const fresh = lines.join("\n");
  if (node.innerText !== fresh) node.replaceChildren(...lines.map((line) => el("p", {}, line)));
}

function live(word, kind) {
  const node = document.getElementById("live");
  node.className = `live ${kind}`;
  if (node.textContent !== word) node.textContent = word;
}

/// Reads the server's events. `EventSource` cannot send a token, so the stream is read by hand.
async function listen() {
  let last = null;
  let stop = new AbortController();
  addEventListener("spool-token", () => stop.abort());
  for (let pause = 1000; ; pause = Math.min(15000, pause * 1.5)) {
    stop = new AbortController();
    try {
      if (!may("view")) { live("signed out", "off"); await new Promise((go) => addEventListener("spool-token", go, { once: true })); continue; }
      const response = await ask("/api/v1/events", { headers: last ? { "Last-Event-ID": last } : {}, signal: stop.signal });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      pause = 1000;
      live("live", "on");
      for (let text = ""; ;) {
        const { done, value } = await reader.read();
        if (done) break;
        text += value;
        const parts = text.split("\n\n");
        text = parts.pop();
        for (const part of parts) {
          const fields = Object.fromEntries(part.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
          if (fields.id) last = fields.id;
          if (fields.event === "farm") {
            state.farm = JSON.parse(fields.data);
            banner(state.farm);
            live("live", "on");
            for (const listener of listeners) listener(state.farm);
          } else if (fields.event === "trouble") live("the farm is away", "off");
        }
      }
    } catch (error) { if (error.status === 401 || error.status === 403) await identify(); }
    live("reconnecting", "off");
    await new Promise((go) => setTimeout(go, pause));
  }
}

async function identify() {
  try {
    const self = await get("/api/v1/self");
    [state.role, state.name] = [self.role, self.name];
  } catch (error) {
    if (error.status === 401) sessionStorage.removeItem("spool-token");
    [state.role, state.name] = ["none", null];
  }
  document.getElementById("who").textContent = state.name ? `${state.name} · ${state.role}` : state.role === "none" ? "sign in" : `role ${state.role}`;
}

async function sign() {
  const input = el("input", { type: "password", autocomplete: "off", size: 40 });
  const content = el("div", {}, el("p", { className: "soft" }, "The token stays in this tab until it is closed. Leave it empty to go on without one."),
    el("div", { className: "row" }, el("label", {}, "Token", input)));
  if (!await confirmed("Sign in", content, "Use this token")) return;
  if (input.value) sessionStorage.setItem("spool-token", input.value.trim()); else sessionStorage.removeItem("spool-token");
  await identify();
  dispatchEvent(new Event("spool-token"));
  route();
}

addEventListener("popstate", route);
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/']");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
document.getElementById("who").addEventListener("click", sign);
await identify();
route();
listen();
if (state.role === "none") sign();
