// SPDX-License-Identifier: MIT
import * as api from "./api.js";
import { Talk, element } from "./talk.js";

const $ = (id) => document.getElementById(id);
const talk = new Talk($("talk"));
let tokenLimit = null; // above it a conversation is summarised
let sessions = [];
let current = null; // a session's id; null: a new conversation
let watching = null; // aborts what is being heard

// Who is asked: a question with a field, or one to be confirmed. Null: it was cancelled.
function ask(question, { value = null, type = "text" } = {}) {
  $("question").textContent = question;
  $("reply").hidden = value === null;
  $("reply").type = type;
  $("reply").value = value ?? "";
  $("ask").returnValue = "";
  $("ask").showModal();
  return new Promise((resolve) => {
    $("ask").addEventListener("close", () => resolve($("ask").returnValue === "yes" ? $("reply").value : null), { once: true });
  });
}

async function askForToken() {
  const token = await ask("Token of this server", { value: "", type: "password" });
  if (!token) return false;
  sessionStorage.setItem("token", token);
  api.useToken(token);
  return true;
}

// Does something that may fail, and says so where it does.
async function attempt(action) {
  $("notice").textContent = "";
  try {
    return await action();
  } catch (problem) {
    if (problem.name === "AbortError") return undefined;
    if (problem.status === 401 && await askForToken()) return attempt(action);
    $("notice").textContent = problem.message;
    return undefined;
  }
}

function showSessions() {
  const wanted = $("search").value.toLowerCase();
  $("sessions").replaceChildren(...sessions
    .filter((row) => row.title.toLowerCase().includes(wanted))
    .map((row) => {
      const button = element("button", { type: "button", children: [
        element("span", { text: row.title || "Untitled" }),
        element("small", { text: `${new Date(row.lastAt).toLocaleString()}${row.running ? " · answering" : ""}` })] });
      button.setAttribute("aria-current", String(row.id === current));
      button.addEventListener("click", () => open(row.id));
      return element("li", { children: [button] });
    }));
}

async function loadSessions() {
  const page = await attempt(() => api.list());
  if (!page) return;
  sessions = page.sessions;
  tokenLimit = page.tokenLimit;
  showSessions();
}

function showMeter(tokens) {
  $("meter").hidden = tokens === null || tokens === undefined;
  if ($("meter").hidden) return;
  const [bar, words] = $("meter").children;
  bar.hidden = tokenLimit === null;
  Object.assign(bar, { max: tokenLimit ?? 1, low: (tokenLimit ?? 1) * 0.75, high: (tokenLimit ?? 1) * 0.9, value: tokens });
  const number = (value) => value.toLocaleString("en");
  words.textContent = tokenLimit === null ? `${number(tokens)} tokens` : `${number(tokens)} of ${number(tokenLimit)} tokens`;
}

function showHead(title, tokens) {
  $("title").textContent = title || "New conversation";
  document.title = title ? `${title} – Chat` : "Chat";
  $("rename").hidden = $("delete").hidden = current === null;
  showMeter(tokens);
}

function showBusy(busy) {
  $("send").hidden = busy;
  $("stop").hidden = !busy;
}

function leaveTalk(id) {
  watching?.abort();
  watching = null;
  current = id;
  talk.clear();
  showBusy(false);
  $("notice").textContent = "";
  $("sidebar").classList.remove("open");
  $("menu").setAttribute("aria-expanded", "false");
  $("say").hidden = false;
  const address = `#${id ?? ""}`;
  if (location.hash !== address) history.pushState(null, "", address);
}

function begin() {
  leaveTalk(null);
  showHead("", null);
  showSessions();
  $("message").focus();
}

// Shows a session as it is stored, and what it is answering now. The message it answers is stored already.
async function open(id) {
  leaveTalk(id);
  showSessions();
  const session = await attempt(() => api.history(id));
  if (!session || current !== id) return;
  showHead(session.title, session.tokenEstimate);
  const entries = session.entries;
  if (session.running) entries.length = 1 + entries.findLastIndex((entry) => entry.role === "user");
  for (const entry of entries) talk.entry(entry);
  $("talk").scrollTop = $("talk").scrollHeight;
  if (session.running) await watch((signal) => api.listen(id, "", signal));
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Hears a turn to its end, also when the connection is lost on the way: for half a minute it is tried again.
async function watch(connect) {
  const watcher = watching = new AbortController();
  const { signal } = watcher;
  showBusy(true);
  await attempt(() => hearAll(connect, signal));
  if (watching !== watcher) return;
  watching = null;
  showBusy(false);
  await loadSessions();
}

async function hearAll(connect, signal) {
  let last = "";
  for (let tries = 30; tries > 0; --tries) {
    try {
      const reply = last ? await api.listen(current, last, signal) : await connect(signal);
      if (reply.status === 204) return;
      for await (const [name, event] of api.events(reply)) {
        [last, tries] = [name, 30];
        hear(event);
        if (event.type === "done") return;
      }
    } catch (lost) {
      // What the server says is meant; and what was never heard of may have to be said again by a person.
      if (signal.aborted || lost instanceof api.Problem || !last) throw lost;
    }
    await pause(1000);
  }
}

function hear(event) {
  talk.news(event);
  if (event.type === "session" && current === null) {
    current = event.sessionId;
    history.replaceState(null, "", `#${current}`);
    showHead("…", null);
    loadSessions();
  }
  if (event.type === "error") $("notice").textContent = event.error;
  if (event.type === "retry") $("notice").textContent = `${event.why}; asking again`;
  if (event.type === "compaction" && event.outcome === "applied") talk.compaction("Open the conversation again to read the summary.");
  if (event.type === "done") showHead(event.title, event.tokenEstimate);
}

async function say(message) {
  talk.user(message);
  $("talk").scrollTop = $("talk").scrollHeight;
  const session = current;
  await watch((signal) => api.chat(message, session, signal));
}

async function renameCurrent() {
  const title = await ask("Title", { value: $("title").textContent });
  if (title === null) return;
  const row = await attempt(() => api.rename(current, title));
  if (row) showHead(row.title, row.tokenEstimate);
  await loadSessions();
}

async function deleteCurrent() {
  const id = current;
  if (await ask(`Delete “${$("title").textContent}”?`) === null) return;
  if (!await attempt(() => api.remove(id))) return;
  begin();
  await loadSessions();
}

async function showChannels() {
  const admin = await ask("Token of the administrator", { value: "", type: "password" });
  if (!admin) return;
  leaveTalk(null);
  showHead("Channel logs", null);
  $("say").hidden = true;
  try {
    const { channels } = await api.channels(admin);
    const rows = channels.map(({ channelId: name }) => {
      const button = element("button", { type: "button", text: name });
      button.addEventListener("click", () => attempt(() => showChannel(admin, name, "")));
      return element("p", { children: [button] });
    });
    $("talk").replaceChildren(...(rows.length ? rows : [element("p", { text: "Nothing was said in a channel yet." })]));
  } catch (problem) {
    $("notice").textContent = problem.message;
  }
}

async function showChannel(admin, name, from) {
  const page = await api.channel(admin, name, from);
  showHead(name, null);
  const rows = page.messages.map((message) => element("tr", { children:
    [new Date(message.ts).toLocaleString(), message.sender ?? message.role, message.content].map((text) => element("td", { text })) }));
  $("talk").replaceChildren(element("table", { children: [element("tbody", { children: rows })] }));
  if (page.next === null || rows.length === 0) return;
  const older = element("button", { type: "button", text: "Older" });
  older.addEventListener("click", () => attempt(() => showChannel(admin, name, page.next)));
  $("talk").append(element("p", { children: [older] }));
}

function grow() {
  $("message").style.height = "auto";
  $("message").style.height = `${$("message").scrollHeight}px`;
}

$("say").addEventListener("submit", (event) => {
  event.preventDefault();
  const message = $("message").value.trim();
  if (!message || watching) return;
  $("message").value = "";
  grow();
  say(message);
});
$("message").addEventListener("input", grow);
$("message").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $("say").requestSubmit();
});
$("no").addEventListener("click", () => $("ask").close());
$("new").addEventListener("click", begin);
$("search").addEventListener("input", showSessions);
$("rename").addEventListener("click", renameCurrent);
$("delete").addEventListener("click", deleteCurrent);
$("stop").addEventListener("click", () => attempt(() => api.cancel(current)));
$("channels").addEventListener("click", showChannels);
$("leave").addEventListener("click", () => { sessionStorage.clear(); location.hash = ""; location.reload(); });
$("menu").addEventListener("click", () => {
  $("menu").setAttribute("aria-expanded", String($("sidebar").classList.toggle("open")));
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey && event.altKey && event.key.toLowerCase() === "n") begin();
  if (event.key === "Escape") $("sidebar").classList.remove("open");
});

function openAddress() {
  const id = location.hash.slice(1); // nothing in an id needs to be escaped
  if (id) open(id); else begin();
}
window.addEventListener("popstate", openAddress);

// The address that the server prints brings the token; it does not stay there.
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  sessionStorage.setItem("token", given);
  history.replaceState(null, "", "#");
}
api.useAgent(new URLSearchParams(location.search).get("agent") ?? "main");
api.useToken(sessionStorage.getItem("token") ?? "");
await loadSessions();
openAddress();
