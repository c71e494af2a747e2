// Pictures of a job: a frame at a time, a contact sheet, and the movie as far as it is rendered. Then the files that it has written.
import { ask, attempt, count, el, faults, get, may, table } from "./console.js";
import { player } from "./player.js";

/// Shows pictures of a job in a section of its page, when they are asked for. Returns the function that ends it, one that tells whether the movie
/// is there, and one that shows the frame of a number, which is null where the caller may see none.
export function pictures(section, id, isCurrent) {
  if (!may("submit")) return { at: null, ended() {}, stop() {} };
  const time = el("input", { value: "0", size: 10 });
  const [view, film] = [el("div"), el("div")];
  const patiently = async (path) => {
    for (let i = 0; ; i++) { try { return await ask(path); } catch (error) { if (error.status !== 503 || i > 20 || !isCurrent()) throw error; await new Promise((go) => setTimeout(go, 700)); } }
  };
  // The picture that was asked for last in each place. One that comes later than that is not shown.
  const asked = new Map();
  const show = async (path, alt, words, place = view) => {
    asked.set(place, path);
    const isAsked = () => isCurrent() && asked.get(place) === path;
    place.replaceChildren(el("p", { className: "soft" }, "Making the picture …"));
    try {
      const response = await patiently(path);
      if (!isAsked()) return;
      const url = URL.createObjectURL(await response.blob());
      place.replaceChildren(el("img", { className: "frame", src: url, alt, onload: () => URL.revokeObjectURL(url) }), el("p", { className: "soft small" }, words(response.headers)));
    } catch (error) { if (isAsked()) place.replaceChildren(faults(error)); }
  };
  const frame = () => show(`/api/v1/jobs/${id}/frame?time=${encodeURIComponent(time.value.trim() || "0")}`, `Frame at ${time.value} s`,
    (headers) => `Frame ${headers.get("Spool-Frame-Index")} at ${headers.get("Spool-Frame-Time")} s`);
  // The frame of a number, as the map of chunks asks for one.
  const at = (index, place) => show(`/api/v1/jobs/${id}/frame?index=${index}`, `Frame ${index}`,
    (headers) => `Frame ${headers.get("Spool-Frame-Index")} at ${headers.get("Spool-Frame-Time")} s`, place);
  const sheet = () => show(`/api/v1/jobs/${id}/contact-sheet?width=240&columns=4`, "Twelve frames at equal distances", (headers) => `Frames at ${headers.get("Spool-Frame-Times")} s`);
  const movie = async (time) => {
    const path = `/api/v1/jobs/${id}/movie`;
    try {
      // A player cannot send a token. Without one it reads the movie in ranges, else the movie is fetched whole.
      let source = path;
      if (sessionStorage.getItem("spool-token")) source = URL.createObjectURL(await (await ask(path)).blob());
      else await ask(path, { headers: { Range: "bytes=0-0" } });
      if (!isCurrent()) return;
      const video = el("video", { className: "frame", src: source, controls: true, ariaLabel: "The movie" });
      video.currentTime = time;
      film.replaceChildren(video);
    } catch (error) { if (isCurrent()) film.replaceChildren(faults(error)); }
  };
  const words = el("p", { className: "soft small", role: "status" });
  let playing = null;
  let isDone = false;
  const stop = () => { playing?.end(); playing = null; };
  // What is rendered is played at once; what is not moves to the front of the job, and is waited for. A movie that is done, and whose
  // segments are gone, is played from its file.
  const watch = () => {
    stop();
    words.textContent = "";
    playing = player(`/api/v1/jobs/${id}/play.m3u8`, (text) => { if (isCurrent()) words.textContent = text && `Waiting: ${text}`; }, (error) => {
      const time = playing?.video.currentTime || 0;
      stop();
      if (!isCurrent()) return;
      if (isDone && error.status !== 403) { movie(time); return; }
      film.replaceChildren(faults(error));
    });
    film.replaceChildren(playing.video, words);
  };
  const play = el("button", { type: "button", "data-key": "play", onclick: watch }, "Play");
  section.append(el("h2", {}, "Pictures"), el("form", { className: "row", onsubmit: (event) => { event.preventDefault(); frame(); } },
    el("label", {}, "Time (seconds or timecode)", time), el("button", {}, "Show frame"), el("button", { type: "button", onclick: sheet }, "Contact sheet"), play), view, film);
  return { at, ended(done) { isDone = done; }, stop };
}

/// A link to a file of a job. With a token the file is fetched first, since a link cannot send one.
function download(path, name, text, key) {
  return el("a", { href: path, download: name, "data-key": key, onclick: async (event) => {
    event.stopPropagation();
    if (!sessionStorage.getItem("spool-token")) return;
    event.preventDefault();
    await attempt(async () => {
      const url = URL.createObjectURL(await (await ask(path)).blob());
      el("a", { href: url, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
    });
  } }, text);
}

/// A link to the job's report.
export const reportLink = (id) => download(`/api/v1/jobs/${id}/report`, `${id}.html`, "Report", "report");

/// The most files that the page lists.
const MOST = 50;

/// The section of a job's page that lists the files that the job has written, when somebody asks.
export function artefacts(section, id, isCurrent) {
  if (!may("submit")) return;
  const found = el("div");
  const link = ({ name }) => download(`/api/v1/jobs/${id}/artefacts/${name.split("/").map(encodeURIComponent).join("/")}`, name.split("/").pop(), name, `file ${name}`);
  const list = async () => {
    try {
      const page = await get(`/api/v1/jobs/${id}/artefacts?limit=${MOST}`);
      if (!isCurrent()) return;
      found.replaceChildren(table([["File", "wide"], ["Bytes", "n"], ["Type"]], page.artefacts.map((file) => [link(file), count(file.byteCount), file.mediaType]), "None of its files is there any more."));
      if (page.next) found.append(el("p", { className: "soft small" }, `These are the first ${count(page.artefacts.length)}; the API lists all.`));
    } catch (error) { if (isCurrent()) found.replaceChildren(faults(error)); }
  };
  section.replaceChildren(el("h2", {}, "Files"), el("div", { className: "row" }, el("button", { type: "button", "data-key": "files", onclick: list }, "List the files that it has written")), found);
}
