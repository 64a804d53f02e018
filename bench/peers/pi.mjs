// SPDX-License-Identifier: MIT
// pi's own session code: history FILE | next FILE | list DIR | append DIR COUNT. Prints {"ms","count","peak_kib"}.
import fs from "node:fs";
import { SessionManager } from "@mariozechner/pi-coding-agent";

const [operation, target, count] = process.argv.slice(2);
const text = fs.readFileSync(0, "utf8"); // of the message that is appended
const assistant = {
  role: "assistant", content: [{ type: "text", text: "ok" }], api: "anthropic-messages", provider: "anthropic",
  model: "claude-sonnet-4-5", stopReason: "stop", timestamp: Date.now(),
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
};

let done = 0, begin = 0;
const body = (session) => JSON.stringify(session.buildSessionContext().messages).length;
if (operation === "history") {
  begin = performance.now();
  done = body(SessionManager.open(target));
} else if (operation === "next") {
  const session = SessionManager.open(target);
  body(session);
  session.appendMessage({ role: "user", content: [{ type: "text", text }], timestamp: Date.now() });
  begin = performance.now();
  done = body(session);
} else if (operation === "list") {
  begin = performance.now();
  done = (await SessionManager.list("/home/u/proj", target)).length;
} else {
  const session = SessionManager.create("/home/u/proj", target);
  session.appendMessage({ role: "user", content: [{ type: "text", text }], timestamp: Date.now() });
  session.appendMessage(assistant); // before this, pi writes nothing
  begin = performance.now();
  for (; done < Number(count); ++done)
    session.appendMessage({ role: "user", content: [{ type: "text", text }], timestamp: Date.now() });
}
const ms = performance.now() - begin;
console.log(JSON.stringify({ ms, count: done, peak_kib: process.resourceUsage().maxRSS }));
