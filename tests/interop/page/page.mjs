// SPDX-License-Identifier: MIT
// The chat server's page in Chromium: what a person does with it, in the order of a visit. Screenshots stand beside.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const folder = mkdtempSync(join(tmpdir(), "sessionkit-page-"));
const files = join(folder, "files");
mkdirSync(files);
mkdirSync("screenshots", { recursive: true });
const hostile = `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`;
writeFileSync(join(files, "config.json"), '{"region": "eu-west-1", "retries": 3}');
writeFileSync(join(files, "a.txt"), `from a ${hostile}`);
writeFileSync(join(folder, "script.jsonl"), [
  { when: "slowly", text: "word ".repeat(120), delay_ms: 25, chunk: 5 },
  { when: "endless", text: "and ".repeat(2000), delay_ms: 25, chunk: 4 },
  { when: "hostile", text: hostile },
  { summary: true, text: "They spoke of a long thing." },
].map(JSON.stringify).join("\n"));

class Server {
  async start(port = 0) {
    this.process = spawn(process.env.CHAT_HOST, ["--store", join(folder, "store"), "--token", "secret",
      "--admin-token", "admin", "--folder", files, "--script-file", join(folder, "script.jsonl"), "--window", "20000",
      "--port", String(port)], { stdio: ["ignore", "pipe", "inherit"] });
    this.url = await new Promise((resolve, reject) => {
      this.process.stdout.once("data", (line) => resolve(String(line).split(/\s/)[2]));
      this.process.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
  }

  stop(signal = "SIGTERM") {
    return new Promise((resolve) => {
      this.process.once("exit", resolve);
      this.process.kill(signal);
    });
  }
}

const server = new Server();
await server.start();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
const size = { width: 1100, height: 720 };
const context = await browser.newContext({ viewport: size, colorScheme: "light" });
const page = await context.newPage();
page.setDefaultTimeout(20000);
const complaints = [];
let expected = []; // what the browser itself reports of a refusal that a step is about
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("console", (message) => {
  if (["error", "warning"].includes(message.type()) && !expected.some((each) => message.text().includes(each)))
    complaints.push(message.text());
});

let shots = 0;
const shot = (name) => page.screenshot({ path: `screenshots/${String(++shots).padStart(2, "0")}-${name}.png` });
const steps = [];
const step = (name, act) => steps.push([name, act]);
const messages = (kind) => page.locator(`#talk .${kind}`);
const rows = () => page.locator("#sessions button");
const idle = () => page.locator("#send").waitFor();
async function say(text) {
  await page.fill("#message", text);
  await page.press("#message", "Enter");
}
async function reply(text) {
  await page.fill("#reply", text);
  await page.press("#reply", "Enter");
}
async function shows(locator, text) {
  await locator.filter({ hasText: text }).first().waitFor();
}

step("the address brings the token and loses it", async () => {
  await page.goto(`${server.url}/#token=secret`);
  await idle();
  assert.equal(new URL(page.url()).hash, "");
  assert.equal(await rows().count(), 0);
  await shot("empty");
});

step("a conversation begins and streams, its tool calls folded", async () => {
  await say("What is in config.json?");
  await shows(messages("assistant"), "It says: ");
  await idle();
  const call = messages("call");
  assert.equal(await call.count(), 1);
  assert.equal(await call.evaluate((node) => node.open), false);
  await call.locator("summary").focus();
  await page.keyboard.press("Enter");
  assert.match(await call.locator(".result").textContent(), /eu-west-1/);
  assert.equal(await page.title(), "What is in config.json? – Chat");
  assert.match(await page.locator("#meter span").textContent(), /^\d+ of 15,000 tokens$/);
  await page.focus("#message");
  await page.setViewportSize({ width: 960, height: 440 });
  await shot("tools"); // docs/images/chat_host.png
  await page.setViewportSize(size);
});

step("what was said is text, never markup", async () => {
  await say("What is in a.txt?");
  await shows(messages("assistant"), "It says: from a");
  await idle();
  assert.match(await messages("call").last().locator(".result").textContent(), /^from a <img/);
  await say(`hostile ${hostile}`);
  await shows(messages("assistant").last(), "onerror");
  await idle();
  assert.equal(await page.locator("#talk img, #talk script").count(), 0);
  assert.equal(await page.title(), "What is in config.json? – Chat");
});

step("a reload restores it", async () => {
  const before = await page.locator("#talk").innerText();
  await page.reload();
  await shows(messages("assistant"), "onerror");
  await messages("call").first().evaluate((node) => { node.open = true; });
  assert.equal(await page.locator("#talk").innerText(), before);
});

step("a reload in the middle of an answer goes on hearing it", async () => {
  await page.click("#new");
  await say("Speak slowly please");
  await shows(messages("assistant"), "word word");
  await page.reload();
  await shows(messages("assistant"), "word word");
  assert.equal(await page.locator("#stop").isVisible(), true);
  await shot("answering");
  await idle();
  assert.equal((await messages("assistant").innerText()).trim(), "word ".repeat(120).trim());
  assert.equal(await messages("user").count(), 1);
});

step("the sidebar switches, searches and keeps its order", async () => {
  assert.equal(await rows().count(), 2);
  assert.match(await rows().first().innerText(), /^Speak slowly please/);
  await rows().nth(1).click();
  await shows(messages("user"), "What is in config.json?");
  await page.goBack();
  await shows(messages("user"), "Speak slowly please");
  await page.fill("#search", "SLOWLY");
  assert.equal(await rows().count(), 1);
  await page.fill("#search", "");
});

step("an answer is left and found again, and stopped", async () => {
  await page.click("#new");
  await say("An endless story");
  await shows(messages("assistant"), "and and");
  await rows().filter({ hasText: "slowly" }).click();
  await shows(messages("user"), "Speak slowly please");
  assert.equal(await page.locator("#send").isVisible(), true);
  await rows().filter({ hasText: "endless" }).click();
  await shows(messages("assistant"), "and and and");
  await page.click("#stop");
  await shows(messages("cut"), "interrupted");
  await idle();
  await say("And now?");
  await shows(messages("assistant"), "I remember 2 of your messages");
  await idle();
});

step("the server restarts in the middle, and nothing is lost", async () => {
  const port = new URL(server.url).port;
  await server.stop();
  await server.start(port);
  await say("Still there?");
  await shows(messages("assistant"), "I remember 3 of your messages");
  await idle();
});

step("a conversation is renamed and deleted", async () => {
  await page.click("#rename");
  await reply(`Renamed <b>${"x".repeat(60)}</b>`);
  await shows(page.locator("#title"), "Renamed <b>");
  await shows(rows(), "Renamed <b>");
  await shot("renamed");
  await page.click("#delete");
  await page.keyboard.press("Escape");
  assert.equal(await rows().count(), 3);
  await page.click("#delete");
  await page.click("#yes");
  await page.locator("#sessions button").nth(2).waitFor({ state: "detached" });
  assert.equal(await page.locator("#title").textContent(), "New conversation");
});

step("a long conversation shows where it was summarised", async () => {
  await page.click("#new");
  for (let i = 0; i < 24 && await messages("compaction").count() === 0; ++i) {
    await say(`Long thing ${i} ${"x".repeat(3000)}`);
    await shows(messages("assistant"), `Long thing ${i} `);
    await idle();
  }
  await page.reload();
  await shows(messages("compaction"), "summarised");
  await messages("compaction").first().scrollIntoViewIfNeeded();
  await messages("compaction").first().locator("summary").click();
  await shows(messages("compaction").locator("pre"), "long thing");
  await shot("compaction");
});

step("the channel logs are refused without the administrator's token", async () => {
  const said = await fetch(`${server.url}/api/agents/main/chat`, { method: "POST", headers: { Authorization: "Bearer secret" },
    body: JSON.stringify({ message: `from outside ${hostile}`, sessionId: "telegram-42" }) });
  await said.text();
  expected = ["403"];
  await page.click("#channels");
  await reply("secret");
  await shows(page.locator("#notice"), "this is for the administrator");
  assert.equal(await page.locator("#talk table").count(), 0);
  expected = [];
  await page.click("#channels");
  await reply("admin");
  await page.click("text=telegram-42");
  await shows(page.locator("#talk td"), "from outside <img");
  await shot("channel");
});

step("a wrong token is asked for again", async () => {
  expected = ["401"];
  await page.evaluate(() => sessionStorage.setItem("token", "wrong"));
  await page.reload();
  await reply("secret");
  await shows(rows(), "What is in config.json?");
  expected = [];
});

step("an address that names nothing says so", async () => {
  expected = ["404"];
  for (const name of ["nothing", "%E0%A4%A", "<b>"]) {
    await page.goto(`${server.url}/#${name}`);
    await page.reload();
    await shows(page.locator("#notice"), /./);
    assert.equal(await rows().count(), 4);
  }
  expected = [];
  await page.click("#new");
});

step("dark, narrow, by keyboard", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  await rows().filter({ hasText: "config.json" }).click();
  await shows(messages("user"), "What is in config.json?");
  await shot("dark");
  await page.setViewportSize({ width: 360, height: 640 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `the page is ${wide} wide`);
  await page.focus("#menu");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab"); // past the menu's own button, into what it opened or the next control
  await rows().filter({ hasText: "slowly" }).focus();
  await shot("narrow-menu");
  await page.keyboard.press("Enter");
  await shows(messages("user"), "Speak slowly please");
  await page.focus("#message");
  await page.keyboard.type("one");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("two");
  assert.equal(await page.inputValue("#message"), "one\ntwo");
  await page.keyboard.press("Control+Alt+n");
  await shows(page.locator("#title"), "New conversation");
  await shot("narrow");
});

let failed = false;
try {
  for (const [name, act] of steps) {
    const begin = Date.now();
    await act();
    assert.deepEqual(complaints, [], `${name}: the console complains`);
    console.log(`ok: ${name} (${Date.now() - begin} ms)`);
  }
} catch (error) {
  failed = true;
  console.error(error, complaints);
  await shot("failed");
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
}
process.exit(failed ? 1 : 0);
