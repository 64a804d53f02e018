// SPDX-License-Identifier: MIT
// The real pi and sessionkit work on the same session files. Programs under test: $SESSIONKIT, $CHAT.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { convertToLlm, SessionManager } from "@mariozechner/pi-coding-agent";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "pi-interop-"));
process.on("exit", () => fs.rmSync(root, { recursive: true, force: true }));
const store = path.join(root, "store");

const sk = (args, input = "") =>
  execFileSync(process.env.SESSIONKIT, [...args, "--store", store], { input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"], maxBuffer: 1 << 26 });
const say = (session, role, text) => sk(["append", session, "--role", role, "--text", "-"], text).trim();
const newSession = (...args) => {
  const id = sk(["new", ...args]).trim();
  return { id, file: path.join(store, `${id}.jsonl`) };
};
const verify = (file) =>
  spawnSync(process.env.SESSIONKIT, ["verify", file, "--json", "--store", store], { encoding: "utf8", maxBuffer: 1 << 26 });

const usage = {
  input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const user = (text) => ({ role: "user", content: [{ type: "text", text }], timestamp: Date.now() });
const assistant = (...content) => ({
  role: "assistant", content, api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5", usage,
  stopReason: content.some((c) => c.type === "toolCall") ? "toolUse" : "stop", timestamp: Date.now(),
});
const text = (t) => ({ type: "text", text: t });
const toolCall = (id, name, args) => ({ type: "toolCall", id, name, arguments: args });
const toolResult = (id, name, output) => ({
  role: "toolResult", toolCallId: id, toolName: name, content: [text(output)], isError: false, timestamp: Date.now(),
});

// What both sides must agree on; a bare string is one text block.
const shape = ({ role, content, toolCallId, toolName, isError }) => ({
  role,
  content: typeof content === "string" ? [text(content)] : content,
  ...(role === "toolResult" && { toolCallId, toolName, isError }),
});
const ours = (file) =>
  JSON.parse(sk(["history", file, "--provider", "native", "--mode", "faithful"])).messages.map(shape);
const pis = (file) => convertToLlm(SessionManager.open(file).buildSessionContext().messages).map(shape);
const texts = (messages) =>
  messages.map((m) => m.content.filter((c) => c.type === "text").map((c) => c.text).join(""));

function same(file) {
  const mine = ours(file);
  assert.deepEqual(mine, pis(file));
  return mine;
}
function clean(file) {
  const run = verify(file);
  assert.equal(run.status, 0, run.stdout + run.stderr);
}
function subsequence(part, whole) {
  const rest = whole.map((m) => JSON.stringify(m));
  for (const m of part) {
    const at = rest.indexOf(JSON.stringify(m));
    assert.notEqual(at, -1, `missing in ours: ${JSON.stringify(m)}`);
    rest.splice(0, at + 1);
  }
}
// What pi's footer and statistics read of every assistant message without asking whether it is there.
function piCanShow(file) {
  const entries = SessionManager.open(file).getEntries().filter((e) => e.message?.role === "assistant");
  for (const { message: m } of entries) {
    assert.ok(Array.isArray(m.content));
    for (const key of ["input", "output", "cacheRead", "cacheWrite", "totalTokens"])
      assert.equal(typeof m.usage[key], "number");
    assert.equal(typeof m.usage.cost.total, "number");
    assert.equal(typeof m.timestamp, "number");
    for (const key of ["api", "provider", "model", "stopReason"]) assert.equal(typeof m[key], "string");
  }
  return entries.length;
}
function tree(file) {
  const pi = SessionManager.open(file);
  const mine = JSON.parse(sk(["tree", file, "--json"]));
  assert.equal(mine.leaf, pi.getLeafId());
  assert.deepEqual(mine.path, pi.getBranch().map((e) => e.id));
  assert.deepEqual(mine.entries.map((e) => e.id), pi.getEntries().map((e) => e.id));
  assert.deepEqual(mine.entries.map((e) => e.type), pi.getEntries().map((e) => e.type));
  const labels = pi.getEntries().map((e) => [e.id, pi.getLabel(e.id)]).filter(([, label]) => label);
  assert.deepEqual(mine.labels, Object.fromEntries(labels));
  assert.equal(mine.title, pi.getSessionName() ?? null);
}

test("pi opens a session that the sessionkit program wrote", async () => {
  const { id, file } = newSession("--key", "interop:cli", "--title", "A title", "--cwd", root);
  say(id, "user", "First question: \u{1F680} \u2028 \\ \"quoted\"\n\ttab");
  say(id, "assistant", "First answer");
  say(id, "user", "Second question");
  say(id, "assistant", "Second answer");
  assert.deepEqual(texts(same(file)), [
    "First question: \u{1F680} \u2028 \\ \"quoted\"\n\ttab", "First answer", "Second question", "Second answer",
  ]);
  assert.equal(piCanShow(file), 2);
  tree(file);
  const listed = (await SessionManager.list(root, store)).find((s) => s.path === file);
  assert.equal(listed.id, id);
  assert.equal(listed.name, "A title");
  assert.equal(listed.messageCount, 4);
  assert.equal(listed.cwd, root);
  assert.equal(SessionManager.continueRecent(root, store).getSessionFile(), file);
  clean(file);
});

test("pi opens a session that chat wrote, tool calls and results included", () => {
  const chats = path.join(root, "chats");
  const run = spawnSync(process.env.CHAT, ["--store", chats], { input: "", encoding: "utf8" });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  const files = fs.readdirSync(chats).filter((f) => f.endsWith(".jsonl")).map((f) => path.join(chats, f));
  assert.ok(files.length > 0);
  const roles = files.flatMap((file) => {
    piCanShow(file);
    clean(file);
    return same(file).map((m) => m.role);
  });
  assert.ok(roles.includes("toolResult"), roles.join());
});

test("we continue to read what pi appended: messages, labels, a title, a compaction, a branch", () => {
  const { id, file } = newSession("--key", "interop:both");
  say(id, "user", "one");
  say(id, "assistant", "two");
  const pi = SessionManager.open(file);
  const three = pi.appendMessage(user("three"));
  pi.appendMessage(assistant(
    { type: "thinking", thinking: "hm", thinkingSignature: "c2ln" }, text("Looking."),
    toolCall("call_1", "read", { path: "a.txt", big: 1e21, list: [1, null, "\u2028"] }),
    toolCall("call_2", "read", {})));
  pi.appendMessage(toolResult("call_1", "read", "content"));
  pi.appendMessage(toolResult("call_2", "read", ""));
  const done = pi.appendMessage(assistant(text("Done.")));
  pi.appendLabelChange(three, "checkpoint");
  pi.appendSessionInfo("Named by pi");
  same(file), tree(file), clean(file);

  pi.appendModelChange("openai", "gpt-4o");
  pi.appendThinkingLevelChange("high");
  pi.appendCustomEntry("extension", { any: [1, 2] });
  pi.appendCustomMessageEntry("note", "from an extension", true);
  pi.appendCompaction("They counted to three.", done, 1234, { readFiles: ["a.txt"], modifiedFiles: [] });
  pi.appendMessage(user("after the compaction"));
  pi.appendMessage(assistant(text("Yes.")));
  assert.match(texts(same(file))[0], /They counted to three\./);
  tree(file), clean(file);

  pi.branch(three);
  pi.appendMessage(assistant(text("Another way.")));
  assert.deepEqual(texts(same(file)), ["one", "two", "three", "Another way."]);
  pi.branchWithSummary(three, "Tried another way.");
  pi.appendMessage(user("And now?"));
  pi.appendMessage(assistant(text("On.")));
  same(file), tree(file), clean(file);
});

test("a file that both write in turns verifies clean and gives both the same context", () => {
  const { id, file } = newSession("--key", "interop:turns");
  say(id, "user", "ours 0");
  say(id, "assistant", "ours 0, answered");
  for (let i = 1; i <= 5; i++) {
    const pi = SessionManager.open(file);
    pi.appendMessage(user(`pi ${i}`));
    pi.appendMessage(assistant(text(`pi ${i}, answered`)));
    say(i % 2 ? id : file, "user", `ours ${i}`);
    say(i % 2 ? file : id, "assistant", `ours ${i}, answered`);
    assert.equal(same(file).length, 2 + 4 * i);
  }
  tree(file), clean(file), piCanShow(file);
});

test("pi sees our compaction as we do, and compacts it again", () => {
  const pi = SessionManager.create(root, path.join(root, "compacted"));
  for (let i = 0; i < 4; ++i) {
    pi.appendMessage(user(`question ${i} ` + "x".repeat(400)));
    pi.appendMessage(assistant(text(`look ${i}`), toolCall(`t${i}`, "read", { path: `src/${i}.ts` })));
    pi.appendMessage(toolResult(`t${i}`, "read", "y".repeat(400)));
    pi.appendMessage(assistant(text(`answer ${i}`)));
  }
  const file = pi.getSessionFile();
  sk(["compact", file, "--keep-turns", "2", "--summary", "-"], "what came first");
  const mine = same(file);
  assert.equal(mine.length, 1 + 8);
  assert.ok(mine[0].content[0].text.includes("what came first\n\n<read-files>\nsrc/0.ts\nsrc/1.ts\n</read-files>"));
  const again = SessionManager.open(file);
  const kept = again.getBranch().filter((e) => e.type === "message").at(-4).id;
  again.appendCompaction("pi's own words", kept, 1234, { readFiles: ["src/0.ts"], modifiedFiles: [] });
  again.appendMessage(user("on"));
  again.appendMessage(assistant(text("gladly")));
  assert.equal(same(file).length, 1 + 4 + 2);
  const plan = JSON.parse(sk(["compact", file, "--keep-turns", "1", "--dry-run", "--json"]));
  assert.ok(plan.requests[0].prompt.includes("pi's own words"));
  assert.deepEqual(plan.read_files, ["src/0.ts", "src/3.ts"]);
  clean(file);
});

test("pi sees the context of a long chat that compacted itself, and continues it", () => {
  const chats = path.join(root, "long");
  const turns = "SESSIONKIT_SOAK" in process.env ? 5000 : 300;
  const lines = Array.from({ length: turns }, (_, i) => (i % 5 ? `turn ${i} ${"x".repeat((i * 37) % 400)}` : "What is in config.json?"));
  const run = spawnSync(process.env.CHAT, ["--store", chats, "--window", "8000"],
    { input: lines.join("\n") + "\n", encoding: "utf8", maxBuffer: 1 << 26 });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  const compactions = run.stdout.split("[compaction: applied]").length - 1;
  assert.ok(compactions > 3, `${compactions} compactions`);
  const file = path.join(chats, fs.readdirSync(chats).find((f) => f.endsWith(".jsonl")));
  const mine = same(file);
  assert.ok(mine.length < 200 && mine[0].content[0].text.includes("The user said: "));
  assert.equal(SessionManager.open(file).getBranch().filter((e) => e.message?.role === "user").length, lines.length);
  tree(file), clean(file), piCanShow(file);
  const pi = SessionManager.open(file);
  pi.appendMessage(user("and pi?"));
  pi.appendMessage(assistant(text("here")));
  assert.equal(same(file).length, mine.length + 2);
});

test("pi answers a session that contains only our question", () => {
  const { id, file } = newSession("--key", "interop:question");
  say(id, "user", "Anybody there?");
  // pi writes every entry again before the first assistant message of a file.
  const pi = SessionManager.open(file);
  pi.appendMessage(user("Me too."));
  pi.appendMessage(assistant(text("Here.")));
  assert.deepEqual(texts(same(file)), ["Anybody there?", "Me too.", "Here."]);
  say(id, "user", "Good.");
  assert.deepEqual(texts(same(file)), ["Anybody there?", "Me too.", "Here.", "Good."]);
  clean(file);
});

test("we continue a file that pi created, by path", () => {
  const pi = SessionManager.create(root, path.join(root, "pi"));
  pi.appendMessage(user("pi asks"));
  pi.appendMessage(assistant(text("and answers")));
  const file = pi.getSessionFile();
  const mode = fs.statSync(file).mode;
  const before = fs.readFileSync(file);
  say(file, "user", "we ask");
  say(file, "assistant", "we answer");
  assert.deepEqual(fs.readFileSync(file).subarray(0, before.length), before);
  assert.equal(fs.statSync(file).mode, mode);
  assert.deepEqual(texts(same(file)), ["pi asks", "and answers", "we ask", "we answer"]);
  tree(file), clean(file), piCanShow(file);
});

test("after pi died within a line, our entries follow it and pi reads them", () => {
  const pi = SessionManager.create(root, path.join(root, "torn"));
  pi.appendMessage(user("kept"));
  pi.appendMessage(assistant(text("kept too")));
  const file = pi.getSessionFile();
  fs.appendFileSync(file, '{"type":"message","id":"deadbeef","parentId":"');
  assert.equal(ours(file).length, 2);
  say(file, "user", "after the tear");
  say(file, "assistant", "answered");
  assert.deepEqual(texts(same(file)), ["kept", "kept too", "after the tear", "answered"]);
  assert.ok(fs.readFileSync(file, "utf8").includes('"deadbeef","parentId":"\n'));
  const found = verify(file);
  assert.equal(found.status, 5, found.stdout + found.stderr);
  assert.equal(JSON.parse(found.stdout).findings.length, 1);
  const again = SessionManager.open(file);
  again.appendMessage(user("pi continues"));
  again.appendMessage(assistant(text("gladly")));
  assert.equal(same(file).length, 6);
});

test("after pi glued a line to a torn one of ours, nothing that either can read is hidden", () => {
  const { id, file } = newSession("--key", "interop:glued");
  say(id, "user", "one");
  say(id, "assistant", "two");
  fs.appendFileSync(file, '{"type":"message","id":"0123456789abcdef","parentId":"');
  const pi = SessionManager.open(file);
  pi.appendMessage(user("glued to the torn line, lost to pi"));
  pi.appendMessage(assistant(text("a child of the lost line")));
  const mine = ours(file);
  assert.deepEqual(texts(mine), ["one", "two", "glued to the torn line, lost to pi", "a child of the lost line"]);
  assert.deepEqual(texts(pis(file)), ["a child of the lost line"]);
  say(id, "user", "we continue");
  subsequence(pis(file), ours(file));
  assert.deepEqual(texts(ours(file)).slice(2), ["glued to the torn line, lost to pi", "a child of the lost line", "we continue"]);
  assert.equal(verify(file).status, 5);
});
