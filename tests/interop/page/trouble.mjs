// SPDX-License-Identifier: MIT
// The page where something goes wrong: refusals, lost connections, haste, and more conversations than a list shows.
import assert from "node:assert/strict";
import { Server, expect, idle, ignoreOthers, messages, page, pause, reply, row, rows, run, say, shot, shows, soon, step } from "./visit.mjs";

const slowly = { when: "slowly", text: "word ".repeat(80), delay_ms: 25, chunk: 5 };
const server = new Server("store", [
  { when: "refuse", error: { kind: "refused", message: "the provider says no" } },
  { when: "broken", text: "half of an answer", cut: true },
  { when: "think", thinking: "deep thoughts", text: "thought enough", delay_ms: 100 },
  slowly, slowly, slowly, slowly, slowly,
], "--body-limit", "50000");
const atomic = new Server("claw0", [slowly, { when: "refuse", error: { kind: "refused", message: "the provider says no" } }],
  "--profile", "claw0");
await server.start();
await atomic.start();
await ignoreOthers();

const notice = page.locator("#notice");
const typed = () => page.inputValue("#message");
const talk = () => page.locator("#talk > :not(.actions)").allTextContents();
const current = () => new URL(page.url()).hash.slice(1);

step("an error stays on the screen until it is dismissed", async () => {
  await page.goto(`${server.url}/#token=secret`);
  await say("refuse me");
  await shows(notice, "the model's provider refused the request");
  await idle();
  await pause(1000);
  assert.equal(await notice.textContent(), "the model's provider refused the request");
  assert.deepEqual(await talk(), ["refuse me", "failed"]);
  await shot("refused");
  await page.click("#dismiss");
  assert.equal(await notice.textContent(), "");
  assert.equal(await page.locator("#dismiss").isVisible(), false);
});

step("an answer that was cut is marked, then and after a reload", async () => {
  await say("broken stream");
  await shows(notice, "the answer ended too early");
  await idle();
  assert.deepEqual((await talk()).slice(-3), ["broken stream", "half of an answer", "failed"]);
  await page.reload();
  await shows(messages("cut"), "failed");
  assert.deepEqual((await talk()).slice(-3), ["broken stream", "half of an answer", "failed"]);
});

step("thoughts are shown while they arrive, and are the same after a reload", async () => {
  await say("think");
  await shows(messages("mark"), "deep");
  await shows(messages("assistant"), "thought enough");
  await idle();
  const before = await talk();
  await page.reload();
  await shows(messages("assistant"), "thought enough");
  assert.deepEqual(await talk(), before);
});

step("a message that is refused goes back, and what is answered instead is shown", async () => {
  expect("409", "413");
  const other = server.post("chat", { message: "slowly, says another", sessionId: current() });
  await soon(async () => (await fetch(`${server.url}/api/agents/main/sessions/${current()}`, { headers: { Authorization: "Bearer secret" } }))
    .json().then((session) => session.running), "it answers another");
  await say("my long precious text");
  await shows(notice, "is already answering");
  assert.equal(await typed(), "my long precious text");
  await shows(messages("user"), "slowly, says another");
  assert.equal(await messages("user").filter({ hasText: "precious" }).count(), 0);
  await other;
  await idle();
  await page.press("#message", "Enter");
  await shows(messages("assistant"), "You said \"my long precious text\"");
  assert.equal(await notice.textContent(), "");
  await idle();
  await page.click("#new");
  await say("z".repeat(60000));
  await shows(notice, "a body has at most 50000 bytes");
  assert.equal((await typed()).length, 60000);
  assert.deepEqual(await talk(), []);
  expect();
});

step("typed text belongs to its conversation", async () => {
  await page.fill("#message", "for a new one");
  await row("refuse me").click();
  await shows(messages("user"), "refuse me");
  assert.equal(await typed(), "");
  await page.fill("#message", "for the first");
  await page.click("#new");
  assert.equal(await typed(), "for a new one");
  await page.goBack();
  await shows(messages("user"), "refuse me");
  assert.equal(await typed(), "for the first");
  await page.fill("#message", "");
});

step("a message goes back to its conversation though another is open by then", async () => {
  expect("409");
  const id = current();
  const other = server.post("chat", { message: "slowly", sessionId: id });
  await page.route("**/chat", async (route) => { await pause(600); await route.continue(); });
  await say("too late for this one");
  await page.click("#new");
  await shows(notice, "is already answering");
  await page.unroute("**/chat");
  assert.equal(await typed(), "for a new one");
  await row("refuse me").click();
  await shows(messages("user"), "broken stream");
  assert.equal(await typed(), "too late for this one");
  await page.fill("#message", "");
  await other;
  await idle();
  expect();
});

step("haste shows a conversation once", async () => {
  const before = await talk();
  await page.click("#new");
  await row("refuse me").dblclick();
  await shows(messages("user"), "broken stream");
  await pause(500);
  assert.deepEqual(await talk(), before);
});

step("a channel that loads late does not replace a view opened since", async () => {
  await server.post("chat", { message: "said in a channel", sessionId: "web-1" }, "gateway");
  await page.click("#channels");
  await reply("admin");
  await page.route("**/convlogs/**", async (route) => { await pause(600); await route.continue().catch(() => {}); });
  await page.click("text=web-1");
  await row("refuse me").click();
  await shows(messages("user"), "broken stream");
  await pause(1000);
  await page.unroute("**/convlogs/**");
  assert.equal(await page.locator("#title").textContent(), "refuse me");
  assert.equal(await page.locator("#talk table").count(), 0);
  assert.equal(await page.locator("#say").isVisible(), true);
});

step("an answer is stopped before the server has named its conversation", async () => {
  await page.click("#new");
  await page.route("**/chat", async (route) => { await pause(400); await route.continue(); });
  await say("slowly, but not for long");
  await page.click("#stop");
  await shows(messages("cut"), "interrupted");
  await idle();
  await page.unroute("**/chat");
  assert.equal(await notice.textContent(), "");
});

step("after a kill in the middle the page reconnects, and shows what is stored", async () => {
  expect("ERR_");
  await page.click("#new");
  await say("slowly until it dies");
  await shows(messages("assistant"), "word word");
  await server.restart("SIGKILL");
  await idle();
  await shows(messages("cut"), "interrupted");
  const [asked, half, mark] = await talk();
  assert.deepEqual([asked, mark], ["slowly until it dies", "interrupted"]);
  assert.match(half, /^word word( word)* ?$/);
  assert.equal((await talk()).length, 3);
  await page.getByLabel("Continue this answer").click();
  await shows(messages("user"), "Please continue where your answer ended.");
  await idle();
  assert.equal(await page.locator("#title").textContent(), "slowly until it dies");
  await server.stop();
  await say("is anybody there?");
  await shows(notice, "The server cannot be reached.");
  assert.equal(await typed(), "is anybody there?");
  await server.start(new URL(server.url).port);
  await page.press("#message", "Enter");
  await messages("assistant").nth(2).waitFor();
  assert.equal(await typed(), "");
  await idle();
  expect();
});

step("while the server is away the page says so, and Stop ends the waiting", async () => {
  expect("ERR_");
  await page.click("#new");
  await say("slowly until it is away");
  await shows(messages("assistant"), "word word");
  await server.stop("SIGKILL");
  await shows(messages("cut"), "The connection is lost; trying again.");
  await page.click("#stop");
  await idle();
  await shows(messages("cut"), "the connection was lost here");
  await shows(notice, "The ");
  await server.start(new URL(server.url).port);
  await page.reload();
  await shows(messages("cut"), "interrupted");
  assert.equal((await talk()).length, 3);
  expect();
});

step("the oldest conversation is found, by scrolling and by searching", async () => {
  for (let i = 0; i < 120; ++i) await server.post("chat", { message: `topic ${i}` });
  await page.reload();
  await soon(async () => await rows().count() === 100, "a page of the list");
  await page.fill("#search", "REFUSE");
  await soon(async () => await rows().count() === 1, "the oldest is found");
  await shows(rows(), "refuse me");
  await page.fill("#search", "");
  await soon(async () => await rows().count() === 100, "a page of the list");
  await page.locator("#sessions .older").scrollIntoViewIfNeeded();
  await soon(async () => await rows().count() > 120, "all of the list");
  await row("refuse me").click();
  await shows(messages("user"), "refuse me");
  assert.ok(await rows().count() > 120);
});

step("an unknown agent is an error", async () => {
  expect("404");
  await page.goto(`${server.url}/?agent=nobody`);
  await shows(notice, "there is no such agent");
  expect();
});

step("a reload in the middle shows the question also where turns are stored at their end", async () => {
  await page.goto(`${atomic.url}/#token=secret`);
  await say("question one");
  await shows(messages("assistant"), "question one");
  await idle();
  const before = await talk();
  await say("question two, slowly");
  await shows(messages("assistant"), "word word");
  await page.reload();
  await shows(messages("assistant"), "word word");
  assert.deepEqual((await talk()).slice(0, 3), [...before, "question two, slowly"]);
  await idle();
  await page.reload();
  await shows(messages("assistant"), "word word");
  await idle();
  assert.deepEqual(await talk(), [...before, "question two, slowly", "word ".repeat(80).trim()]);
});

step("a message that such a turn dropped goes back", async () => {
  await say("refuse me");
  await shows(notice, "the model's provider refused the request");
  await soon(async () => await typed() === "refuse me", "it is to be sent again");
  await soon(async () => (await talk()).length === 4, "it does not exist any more");
  await page.press("#message", "Enter");
  await shows(messages("assistant"), "You said \"refuse me\"");
  await idle();
});

await run(server, atomic);
