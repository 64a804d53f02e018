// SPDX-License-Identifier: MIT
// The minimum for a Node program that keeps its sessions as JSON lines: the same commands as pi.mjs.
import fs from "node:fs";
import path from "node:path";

const [operation, target, count] = process.argv.slice(2);
const text = fs.readFileSync(0, "utf8");
const load = (file) => fs.readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));

function messagesOf(entries) {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const kept = [];
  let first;
  for (let entry = entries.at(-1); entry; entry = byId.get(entry.parentId)) {
    kept.push(entry);
    if (entry.type === "compaction" && !first) first = entry.firstKeptEntryId;
    if (entry.id === first) break;
  }
  return kept.reverse().filter((entry) => entry.type === "message").map((entry) => entry.message);
}

let done = 0, begin = performance.now();
if (operation === "history") {
  done = JSON.stringify(messagesOf(load(target))).length;
} else if (operation === "next") {
  const messages = messagesOf(load(target));
  messages.push({ role: "user", content: [{ type: "text", text }] });
  begin = performance.now();
  done = JSON.stringify(messages).length;
} else if (operation === "list") {
  const sessions = fs.readdirSync(target).filter((name) => name.endsWith(".jsonl")).map((name) => {
    const entries = load(path.join(target, name));
    return { id: entries[0].id, updated: entries.at(-1).timestamp, messages: entries.length - 1 };
  });
  done = sessions.sort((a, b) => (a.updated < b.updated ? 1 : -1)).length;
} else {
  const file = path.join(target, "plain.jsonl");
  let parentId = null;
  for (; done < Number(count); ++done) {
    const entry = {
      type: "message", id: done.toString(16).padStart(8, "0"), parentId, timestamp: new Date().toISOString(),
      message: { role: "user", content: [{ type: "text", text }], timestamp: Date.now() },
    };
    fs.appendFileSync(file, JSON.stringify(entry) + "\n");
    parentId = entry.id;
  }
}
const ms = performance.now() - begin;
console.log(JSON.stringify({ ms, count: done, peak_kib: process.resourceUsage().maxRSS }));
