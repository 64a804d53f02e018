// SPDX-License-Identifier: MIT
// A long conversation and a fast answer: the page stays quick. Takes a while, and needs a machine that does nothing else.
import assert from "node:assert/strict";
import { Server, idle, messages, page, run, say, shot, shows, soon, step } from "./visit.mjs";

const longest = 100; // milliseconds of one task
const paragraph = "Some **words** of a long answer with `code`, a [link](https://example.com) and *more* of it.\n\n";
const table = "| name | size |\n|---|--:|\n| one | 1 |\n| two | 2 |\n\n";
const code = "```cpp\nint f(int a) { return a + 1; } // hello \"x\"\nint g() { return f(1); }\n```\n\n";
const answer = (paragraph.repeat(8) + table + code).repeat(70).slice(0, 64 << 10);
// A token every millisecond: the provider fails the answer if one is more than a tenth of a second late.
const server = new Server("long", [{ when: "fast answer", text: answer, chunk: 4, delay_ms: 1, late_ms: 100 }], "--window", "100000000", "--threshold", "0");
await server.start();

const count = 10000;
const line = (n) => JSON.stringify({ type: "message", id: `e${n}`, parentId: n === 0 ? null : `e${n - 1}`, timestamp: new Date(1700000000000 + n * 1000).toISOString(),
  message: { role: n % 2 ? "assistant" : "user", content: [{ type: "text", text: n % 2 ? `Answer **${n}**.\n\n- one\n- two\n\n${n === 4321 ? "a needle here" : ""}` : `Question ${n}?` }], timestamp: 1700000000000 + n * 1000 } });
const log = [JSON.stringify({ type: "session", version: 3, id: "imported", timestamp: "2023-11-14T22:13:20.000Z", cwd: "/" }),
  ...Array.from({ length: count }, (_, n) => line(n))].join("\n");

const tooLong = [];
async function watchTasks() {
  await page.evaluate(() => {
    window.longest = 0;
    window.watcher?.disconnect();
    window.watcher = new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration); });
    window.watcher.observe({ type: "longtask" });
  });
}
async function taskOf(name) {
  const took = await page.evaluate(() => window.longest);
  console.log(`${name}: the longest task took ${took} ms`);
  if (took > longest) tooLong.push(`${name}: ${took} ms`);
}

step("10,000 messages are opened", async () => {
  await server.post("import", log);
  await page.goto(`${server.url}/#token=secret`);
  await idle();
  await watchTasks();
  await page.locator("#sessions button").first().click();
  await shows(messages("assistant"), `Answer ${count - 1}.`);
  await idle();
  await taskOf("open");
});

step("they are scrolled to the first", async () => {
  await watchTasks();
  for (let tries = 0; tries < 2000 && await page.locator("#talk .message").first().textContent() !== "Question 0?"; ++tries) {
    await page.evaluate(() => { document.getElementById("talk").scrollTop -= 3000; });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  assert.equal(await page.locator("#talk .message").first().textContent(), "Question 0?");
  assert.ok(await page.locator("#talk .message").count() < 200);
  await taskOf("scroll");
  await shot("long-first");
});

step("they are searched, and the hit is opened in its place", async () => {
  await watchTasks();
  await page.fill("#search", "a needle");
  await page.locator("#sessions .hit").click();
  await shows(messages("assistant"), "a needle here");
  await soon(() => page.evaluate(() => [...(CSS.highlights.get("hit") ?? [])].length === 1), "the words are marked");
  await taskOf("search");
  await page.fill("#search", "");
});

step("64 kB at 1,000 tokens a second", async () => {
  await page.click("#new");
  await watchTasks();
  const begin = Date.now();
  await say("a fast answer");
  await messages("assistant").first().waitFor();
  await page.locator("#send").waitFor({ timeout: 120000 });
  await idle();
  console.log(`${answer.length} characters in ${Date.now() - begin} ms`);
  assert.deepEqual(await messages("cut").allTextContents(), [], "the provider was too slow: it says above by how much");
  assert.equal(await messages("assistant").locator("table").count(), answer.match(/\| two/g).length);
  await taskOf("stream");
});

step(`no task took longer than ${longest} ms`, () => assert.deepEqual(tooLong, []));

await run(server);
