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

async function request(method, path, { body, lastEventId, as, signal } = {}) {
  const headers = { Authorization: `Bearer ${as ?? token}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (lastEventId) headers["Last-Event-ID"] = lastEventId;
  const reply = await fetch(`/api/agents/${encodeURIComponent(agent)}/${path}`,
    { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  if (reply.ok) return reply;
  let detail = reply.statusText;
  try { detail = (await reply.json()).detail; } catch { /* it is no problem document */ }
  throw new Problem(reply.status, detail);
}

const json = async (...arguments_) => (await request(...arguments_)).json();
const session = (id) => `sessions/${encodeURIComponent(id)}`;

export const list = (cursor = "") => json("GET", `sessions?limit=200&cursor=${encodeURIComponent(cursor)}`);
export const history = (id) => json("GET", session(id));
export const rename = (id, title) => json("PATCH", session(id), { body: { title } });
export const remove = (id) => request("DELETE", session(id));
export const cancel = (id) => json("POST", `${session(id)}/cancel`, { body: {} });
export const channels = (as) => json("GET", "convlogs", { as });
export const channel = (as, name, from, sender) =>
  json("GET", `convlogs/${encodeURIComponent(name)}?from=${encodeURIComponent(from)}`
    + (sender ? `&sender=${encodeURIComponent(sender)}` : ""), { as });
export const chat = (message, id, signal) =>
  request("POST", "chat", { body: { message, ...(id ? { sessionId: id } : {}) }, signal });
export const listen = (id, lastEventId, signal) => request("GET", `${session(id)}/events`, { lastEventId, signal });

// The events of a stream: [name, event] as they come. Ends when the connection does.
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
