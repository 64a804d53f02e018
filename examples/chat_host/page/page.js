// SPDX-License-Identifier: MIT
import * as api from "./api.js";
import { ask, attempt, dismiss, notify } from "./asking.js";
import { Attachments } from "./attachments.js";
import { Channels } from "./channels.js";
import { Details } from "./details.js";
import { hearAll, pause } from "./feed.js";
import { keepFocus, moveThroughList, seesFocus, toPart } from "./keyboard.js";
import { List } from "./list.js";
import { announce, copyText, icon, showCopied } from "./nodes.js";
import { Talk } from "./talk.js";
import { Visit } from "./visit.js";
import { welcome } from "./welcome.js";

const $ = (id) => document.getElementById(id);
const talk = new Talk($("talk"), { edit, again, go, takeBack, more: () => send("Please continue where your answer ended.") });
const list = new List($("sessions"), { load: loadRows, search: (query, signal) => attempt(() => api.search(query, signal)), chosen: open });
const drafts = new Map(); // unsent text by conversation, null for a new one

let hasTrash = false; // a conversation that is deleted can be restored
let tokenLimit = null; // a conversation above this limit is summarised

let visit = new Visit(null);
const details = new Details($, { attempt, now: () => ({ visit, tokenLimit }) });

async function loadRows(query, signal) {
  const page = await attempt(() => api.list(query, signal));
  if (!page) return undefined;
  ({ tokenLimit, hasTrash } = page);
  showMeter();
  return page;
}

function showMeter() {
  const { tokens } = visit;
  const [bar, words] = $("meter").children;
  if (tokens === null || tokens === undefined) {
    bar.hidden = true;
    words.textContent = "Details";
    return;
  }
  bar.hidden = tokenLimit === null;
  Object.assign(bar, { max: tokenLimit ?? 1, low: (tokenLimit ?? 1) * 0.75, high: (tokenLimit ?? 1) * 0.9, value: tokens });
  const number = (value) => value.toLocaleString("en");
  words.textContent = tokenLimit === null ? `${number(tokens)} tokens` : `${number(tokens)} of ${number(tokenLimit)} tokens`;
}

function showHead(title, tokens) {
  $("title").textContent = title || "New conversation";
  document.title = title ? `${title} – Chat` : "Chat";
  $("rename").hidden = $("export").hidden = $("delete").hidden = $("archive").hidden = visit.id === null;
  visit.tokens = tokens;
  showMeter();
}

function setState(here, state) {
  here.state = state;
  $("send").hidden = visit.state !== "idle";
  $("stop").hidden = visit.state === "idle";
  keepFocus();
}

function type(text) {
  $("message").value = text;
  $("message").style.height = "auto";
  $("message").style.height = `${$("message").scrollHeight}px`;
}

// Opens or closes the list on a narrow screen.
function showList(isOpen) {
  $("sidebar").classList.toggle("open", isOpen);
  $("menu").setAttribute("aria-expanded", String(isOpen));
}

const toEnd = () => { $("talk").scrollTop = $("talk").scrollHeight; };

function enter(id, title = "") {
  drafts.set(visit.id, $("message").value);
  const isLate = visit.state !== "idle"; // the list may be older than the message that is answered
  visit.leaving.abort();
  visit = new Visit(id);
  setState(visit, "idle");
  stopEditing();
  talk.clear();
  $("talk").append(...(id === null ? welcome((text) => { type(text); $("message").focus(); }) : []));
  dismiss();
  announce("");
  showHead(title, null);
  list.mark(id);
  if (isLate) list.reload();
  showList(false);
  $("say").hidden = false;
  keepFocus();
  type(drafts.get(id) ?? "");
  drafts.delete(id);
  const address = `#${id ?? ""}`;
  if (location.hash !== address) history.pushState(null, "", address);
  return visit;
}

function begin() {
  enter(null);
  $("message").focus();
}

// `hit`: a message of it that was found, and the words.
function open(id, hit) { return show(enter(id, "…"), hit); }

// Shows a stored conversation, and its running answer; at the entry of `hit`, if there is one.
async function show(here, hit) {
  const session = await attempt(() => api.history(here.id, here.signal));
  if (here.left) return;
  if (!session) return showHead($("title").textContent === "…" ? "" : $("title").textContent, here.tokens);
  // The running turn's feed has all of it; of its stored entries, only the message that it answers is shown.
  const message = session.entries.findIndex((entry) => entry.ofRunningTurn);
  const asked = message + (session.entries[message]?.role === "user" ? 1 : 0); // it may be asked again
  const { canBranch } = session;
  remember(here, session);
  await talk.entries(message < 0 ? session.entries : session.entries.slice(0, asked), { canBranch, signal: here.signal, at: hit?.entry });
  if (here.left) return;
  showHead(session.title, session.tokenEstimate);
  here.said = message < 0 ? null : { stored: true };
  toEnd();
  showArchived(session.archived);
  if (hit && !talk.reveal(hit) && canBranch && !hit.chosen && await attempt(() => api.choose(here.id, hit.entry)) && !here.left) // on another branch
    return show(here, { ...hit, chosen: true });
  if (!session.running) return void watch(here);
  const reply = await attempt(() => api.listen(here.id, "", here.signal));
  if (reply) await hearTurn(here, reply);
}

const ends = { finished: "The answer is complete.", interrupted: "The answer was stopped.", failed: "There is no complete answer.",
  too_long: "The answer was stopped: too many steps." };

// Listens to a turn until its end. A message that the server did not store goes back to the input field.
async function hearTurn(here, reply) {
  here.stopping = here.lost = false;
  setState(here, "answering");
  announce("Answering.");
  const heard = attempt(() => hearAll(here, reply, { talk, hear }));
  talk.whileBusy(heard);
  const end = await heard;
  if (here.left) return;
  setState(here, "idle");
  announce(ends[end?.end] ?? "");
  const { said } = here;
  const dropped = said !== null && !said.stored;
  const nothing = said?.again && end?.end === "failed";
  here.said = null;
  list.reload();
  if (dropped || nothing || end === null) await show(here);
  else await label(here);
  const last = end === null && lastAsked(here); // a server that was killed may have kept it
  const kept = last && last.id !== said?.before && last.content?.some(({ text }) => text === said?.text);
  if (dropped && !kept) giveBack(here, said);
}

function lastAsked(here) {
  return here.entries?.filter(({ role }) => role === "user").at(-1);
}

// The messages of the turn that ended get their buttons.
async function label(here) {
  const session = await attempt(() => api.history(here.id, here.signal));
  if (!session || here.left || here.state !== "idle" || session.running) return;
  remember(here, session);
  watch(here);
  if (!talk.label(session.entries, session.canBranch)) await show(here);
}

function remember(here, session) {
  Object.assign(here, { end: session.end, usage: session.usage, settings: session.settings, entries: session.entries });
}

// Shows what another program writes into the conversation. The server answers when there is something.
async function watch(here) {
  const { signal } = here.watching = new AbortController();
  here.signal.addEventListener("abort", () => here.watching.abort());
  try {
    while (!here.left && here.state === "idle" && !signal.aborted) {
      const begin = Date.now();
      const { end, changed } = await api.changes(here.id, here.end, signal);
      if (!changed && Date.now() - begin < 20000) await pause(10000); // the server is about to stop
      if (!changed || here.left || here.state !== "idle" || signal.aborted || end === here.end) continue;
      const place = $("talk").scrollHeight - $("talk").scrollTop;
      list.reload();
      await show(here);
      if (place - $("talk").clientHeight > 80 && !here.left) $("talk").scrollTop = $("talk").scrollHeight - place;
      return;
    }
  } catch { /* the server ends, or the conversation: the next action shows it */ }
}

function edit(entry, before) {
  if (visit.state !== "idle") return;
  visit.after = before;
  visit.edited = entry.id;
  attachments.set(entry.content.filter((part) => part.type === "image").map((part) => part.url));
  type(entry.content.filter((part) => part.type === "text").map((part) => part.text).join("\n"));
  $("editing").hidden = false;
  $("message").focus();
}

function stopEditing() {
  visit.after = visit.edited = undefined;
  attachments.set([]);
  $("editing").hidden = true;
  keepFocus();
}

// A message of the user is answered once more.
async function again(entry) {
  const here = visit;
  if (here.state !== "idle") return;
  here.watching?.abort();
  dismiss();
  talk.cut(entry, { keep: true });
  here.said = { stored: true, again: true };
  setState(here, "asking");
  const reply = await attempt(() => api.again(here.id, entry, here.signal));
  if (reply) return taken(here, reply);
  setState(here, "idle");
  if (!here.left) await show(here);
}

// Another version of a message, and what followed it.
async function go(entry) {
  const here = visit;
  const focus = talk.focused;
  if (here.state !== "idle" || !await attempt(() => api.choose(here.id, entry)) || here.left) return;
  await show(here, { entry });
  if (focus && !here.left) talk.focus({ ...focus, entry });
}

// The conversation ends at an entry again. What followed stays in the log, and can be brought back.
async function takeBack(entry) {
  const here = visit;
  const last = here.entries.at(-1).id;
  here.watching?.abort();
  if (here.state !== "idle" || !await attempt(() => api.choose(here.id, entry, { end: true })) || here.left) return;
  list.reload();
  await show(here);
  if (here.left) return;
  notify("Taken back. The model does not see it any more.", async () => {
    dismiss();
    if (await attempt(() => api.choose(here.id, last)) && !here.left) await show(here);
  });
}

function hear(here, event) {
  if (event.type === "session") here.said ??= { text: event.message, bubble: talk.user(event.message) };
  if (event.stored !== undefined && here.said) here.said.stored = event.stored;
  talk.news(event);
  if (event.type === "error") notify(event.error);
  if (event.type === "done") showHead(event.title, event.tokenEstimate);
}

// A message that the server does not have must be sent again: put it into the input field of its conversation, before
// newly typed text.
function giveBack(here, { text, bubble, images }) {
  bubble?.remove();
  const together = (more) => (more ? `${text}\n\n${more}` : text);
  if (here.id === visit.id && images?.length) attachments.set(images);
  if (here.id === visit.id) type(together($("message").value));
  else drafts.set(here.id, together(drafts.get(here.id)));
}

async function say(text) {
  const here = visit;
  const { after, edited, wanted: settings } = here;
  const images = attachments.urls;
  here.watching?.abort();
  if (here.id === null) talk.clear();
  dismiss();
  stopEditing();
  if (edited) talk.cut(edited);
  for (const each of images) talk.picture(each);
  here.said = { text, images, bubble: text ? talk.user(text) : $("talk").lastChild, stored: false, before: lastAsked(here)?.id };
  setState(here, "asking");
  toEnd();
  const reply = await attempt(() => api.chat(text, { id: here.id, after, images, settings }, here.signal));
  if (reply) {
    here.wanted = null;
    return taken(here, reply);
  }
  setState(here, "idle");
  giveBack(here, here.said);
  here.said = null;
  if (here.id !== null) await show(here); // it may be answering another message
}

async function taken(here, reply) {
  const isNew = here.id === null;
  here.id ??= reply.headers.get("X-Session-ID");
  if (here.stopping) attempt(() => api.cancel(here.id));
  if (isNew) list.reload();
  if (here.left) return;
  if (isNew) {
    history.replaceState(null, "", `#${here.id}`);
    showHead("…", null);
    list.mark(here.id);
  }
  await hearTurn(here, reply);
}

function stop() {
  if (visit.state === "asking" || visit.lost) visit.stopping = true; // as soon as there is a turn to stop
  else attempt(() => api.cancel(visit.id));
}

async function renameCurrent() {
  const here = visit;
  const title = await ask("Title (empty: the first words)", { value: $("title").textContent });
  if (title === null) return;
  const row = await attempt(() => api.rename(here.id, title));
  if (row && !here.left) showHead(row.title, row.tokenEstimate);
  await list.reload();
}

async function deleteCurrent() {
  const here = visit;
  const title = $("title").textContent;
  if (!hasTrash && await ask(`Delete “${title}”? This cannot be undone.`) === null) return;
  here.watching?.abort(); // the server would report that it is gone
  if (!await attempt(() => api.remove(here.id))) return void watch(here);
  if (!here.left) begin();
  drafts.delete(here.id);
  if (hasTrash) notify(`“${title}” is in the trash.`, () => bringBack(here.id));
  else announce(`“${title}” is deleted.`);
  await list.reload();
}

async function bringBack(id) {
  dismiss();
  if (!await attempt(() => api.restore(id))) return;
  await list.reload();
  await open(id);
}

async function archiveCurrent() {
  const here = visit;
  const archived = $("archive").getAttribute("aria-pressed") !== "true";
  const row = await attempt(() => api.archive(here.id, archived));
  if (!row) return;
  if (!here.left) showArchived(row.archived);
  await list.reload();
}

function showArchived(archived) {
  $("archive").setAttribute("aria-pressed", String(archived));
  $("archive").textContent = archived ? "Take out of archive" : "Archive";
}

function switchArchive() {
  list.archived = !list.archived;
  $("archived").setAttribute("aria-pressed", String(list.archived));
  list.find($("search").value);
}

async function importFiles(files) {
  for (const file of files) {
    const row = await attempt(async () => api.imported(await file.text()));
    if (row) await Promise.all([list.reload(), open(row.id)]);
  }
}

async function showChannels() {
  const admin = await ask("Token of the administrator", { value: "", type: "password" });
  if (!admin) return;
  const here = enter(null, "Channel logs");
  $("say").hidden = true;
  keepFocus($("talk"));
  const refused = (action) => attempt(action, () => false).finally(() => keepFocus($("talk")));
  const channels = new Channels($("talk"), { admin, attempt: refused, named: (name) => showHead(name, null), signal: here.signal });
  await refused(() => channels.list());
}

function send(text) {
  if ((!text && attachments.urls.length === 0) || visit.state !== "idle") return false;
  if (talk.hasEnd) say(text);
  else talk.window(Infinity).then(() => say(text));
  return true;
}

$("say").addEventListener("submit", (event) => {
  event.preventDefault();
  if (send($("message").value.trim())) type("");
});
const attachments = new Attachments($("pictures"), {
  write: (text) => { type(`${$("message").value}${$("message").value ? "\n\n" : ""}${text}`); $("message").focus(); },
  complain: notify,
  removed: () => keepFocus(),
});
attachments.listen($("talk").parentNode);
$("attach").append(icon("attach"));
$("attach").addEventListener("click", () => $("files").click());
$("files").addEventListener("change", async () => { await attachments.add([...$("files").files]); $("files").value = ""; });
$("import").addEventListener("click", () => $("import-file").click());
$("import-file").addEventListener("change", async () => { await importFiles([...$("import-file").files]); $("import-file").value = ""; });
$("keys").addEventListener("click", () => $("shortcuts").showModal());
$("meter").addEventListener("click", () => details.open());
$("export").addEventListener("click", async () => { await details.open(); $("export-text").focus(); });
$("message").addEventListener("input", () => type($("message").value));
$("message").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $("say").requestSubmit();
});
let typing = null;
$("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => list.find($("search").value), 150);
});
function cancelEditing() {
  stopEditing();
  type("");
}
$("keep").addEventListener("click", cancelEditing);
$("no").addEventListener("click", () => $("ask").close());
$("dismiss").addEventListener("click", dismiss);
$("new").addEventListener("click", begin);
$("rename").addEventListener("click", renameCurrent);
$("archive").addEventListener("click", archiveCurrent);
$("archived").addEventListener("click", switchArchive);
$("delete").addEventListener("click", deleteCurrent);
$("stop").addEventListener("click", stop);
$("talk").addEventListener("click", async ({ target }) => {
  const button = target.closest(".code .copy");
  if (!button) return;
  await copyText(button.closest(".code").querySelector("code").textContent);
  showCopied(button);
});
$("channels").addEventListener("click", showChannels);
$("leave").addEventListener("click", () => { sessionStorage.clear(); location.hash = ""; location.reload(); });
$("menu").addEventListener("click", () => {
  showList(!$("sidebar").classList.contains("open"));
  if (seesFocus()) $("search").focus();
});

$("sidebar").addEventListener("keydown", moveThroughList);

// Leaves the list, or only the words in the search field, which the browser removes.
function leaveList(event) {
  if (event.target === $("search") && $("search").value) return;
  showList(false);
  ($("say").hidden ? $("talk") : $("message")).focus();
}

document.addEventListener("keydown", (event) => {
  const free = !document.querySelector("dialog[open]");
  const last = () => [...document.querySelectorAll("#talk .actions.of-user [aria-label='Edit and send again']")].at(-1);
  if (event.ctrlKey && event.key === "/" && free) $("shortcuts").showModal();
  if (event.ctrlKey && event.key.toLowerCase() === "k" && free) {
    event.preventDefault();
    showList(true);
    $("search").focus();
  }
  if (event.key === "F6" && free) {
    event.preventDefault();
    toPart(event.shiftKey ? -1 : 1);
  }
  if (event.key === "ArrowUp" && event.target === $("message") && $("message").value === "" && free) last()?.click();
  const inList = $("sidebar").contains(event.target) || $("sidebar").classList.contains("open");
  if (event.key === "Escape" && free && inList) return leaveList(event);
  if (event.key === "Escape" && free && visit.state !== "idle") stop();
  if (event.ctrlKey && event.altKey && event.key.toLowerCase() === "n") begin();
  if (event.key === "Escape" && free && visit.edited) cancelEditing();
});

function openAddress() {
  const id = location.hash.slice(1); // an id needs no escaping
  if (id) open(id); else begin();
}
window.addEventListener("popstate", openAddress);

// The address that the server prints contains the token; it is removed from the address bar.
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  sessionStorage.setItem("token", given);
  history.replaceState(null, "", "#");
}
api.useAgent(new URLSearchParams(location.search).get("agent") ?? "main");
api.useToken(sessionStorage.getItem("token") ?? "");
openAddress();
list.reload();
details.load();
