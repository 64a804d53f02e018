// SPDX-License-Identifier: MIT
// The server's routes, as functions.

export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

let token = "";
let agent = "main";
export function useToken(value) { token = value; }
export function useAgent(value) { agent = value; }
export const agentName = () => agent;

async function request(method, path, { body, text, lastEventId, as, signal } = {}) {
  const headers = { Authorization: `Bearer ${as ?? token}` };
  if (body !== undefined || text !== undefined) headers["Content-Type"] = "application/json";
  if (lastEventId) headers["Last-Event-ID"] = lastEventId;
  const reply = await fetch(path.startsWith("/") ? path : `/api/agents/${encodeURIComponent(agent)}/${path}`,
    { method, headers, signal, body: body === undefined ? text : JSON.stringify(body) })
    .catch((failure) => { throw failure.name === "AbortError" ? failure : new Error("The server cannot be reached."); });
  if (reply.ok) return reply;
  let detail = reply.statusText;
  try { detail = (await reply.json()).detail; } catch { /* it is not a problem document */ }
  throw new Problem(reply.status, detail);
}

const json = async (...arguments_) => (await request(...arguments_)).json();
const session = (id) => `sessions/${encodeURIComponent(id)}`;

export const list = (query, signal) => json("GET", `sessions?${new URLSearchParams(query)}`, { signal });
export const history = (id, signal) => json("GET", session(id), { signal });
export const rename = (id, title) => json("PATCH", session(id), { body: { title } });
export const remove = (id) => request("DELETE", session(id));
export const restore = (id) => json("POST", `${session(id)}/restore`, { body: {} });
export const archive = (id, archived) => json("PATCH", session(id), { body: { archived } });
export const search = (query, signal) => json("GET", `search?${new URLSearchParams(query)}`, { signal });
export const agents = () => json("GET", "/api/agents");
export const exported = async (id) => (await request("GET", `${session(id)}/export`)).text();
export const imported = (text) => json("POST", "import", { text });
export const nextRequest = (id, signal) => json("GET", `${session(id)}/request`, { signal });
export const changes = (id, end, signal) => json("GET", `${session(id)}/changes?end=${end}`, { signal });
export const cancel = (id) => json("POST", `${session(id)}/cancel`, { body: {} });
// The channels of all agents, and a page of one of them.
export const channels = (as, signal) => json("GET", "/api/convlogs", { as, signal });
export const channel = (as, of, name, { from, sender }, signal) =>
  json("GET", `/api/agents/${encodeURIComponent(of)}/convlogs/${encodeURIComponent(name)}?${new URLSearchParams({ from, ...(sender ? { sender } : {}) })}`,
    { as, signal });
// The signal only ends the listening. A message that was sent stays sent; whether it was accepted is always reported.
export const chat = (message, { id, after, images, settings }, signal) => begin("chat", {
  message, ...(id ? { sessionId: id } : {}), ...(after === undefined ? {} : { after }), ...(images?.length ? { images } : {}), ...(settings ? { settings } : {}) }, signal);
// A message of the user is answered once more.
export const again = (id, entry, signal) => begin(`${session(id)}/retry`, { entry }, signal);
// The newest branch through this entry, or the one that ends there.
export const choose = (id, entry, { end = false } = {}) => request("POST", `${session(id)}/branch`, { body: { entry, end } });
async function begin(path, body, signal) {
  const listening = new AbortController();
  const reply = await request("POST", path, { body, signal: listening.signal });
  signal.addEventListener("abort", () => listening.abort());
  if (signal.aborted) listening.abort();
  return reply;
}
export const listen = (id, lastEventId, signal) => request("GET", `${session(id)}/events`, { lastEventId, signal });

// Yields the events of a stream as [name, event]. Ends when the connection does.
export async function* events(reply) {
  if (!reply.body) return;
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (text + value).split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const lines = block.split("\n");
      const of = (name) => lines.find((line) => line.startsWith(name))?.slice(name.length);
      const data = of("data: ");
      if (data !== undefined) yield [of("id: "), JSON.parse(data)];
    }
  }
}
