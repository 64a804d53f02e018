// SPDX-License-Identifier: MIT
// What the page's tests share: a server, a browser that visits it, and what a person does there.
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
export const hostile = `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`;
writeFileSync(join(files, "config.json"), '{"region": "eu-west-1", "retries": 3}');
writeFileSync(join(files, "a.txt"), `from a ${hostile}`);

export class Server {
  // `script` is what the provider says before it improvises.
  constructor(name, script, ...more) {
    const file = join(folder, `${name}.jsonl`);
    writeFileSync(file, script.map((step) => JSON.stringify(step)).join("\n"));
    this.arguments = ["--store", join(folder, name), "--token", "secret", "--admin-token", "admin",
      "--user", "bot=gateway", "--gateway", "bot", "--folder", files,
      "--script-file", file, ...(more.includes("--window") ? [] : ["--window", "20000"]), ...more];
  }

  async start(port = 0) {
    this.process = spawn(process.env.CHAT_HOST, [...this.arguments, "--port", String(port)], { stdio: ["ignore", "pipe", "inherit"] });
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

  // The same port again.
  async restart(signal) {
    const { port } = new URL(this.url);
    await this.stop(signal);
    await this.start(port);
  }

  // What another client says.
  post(path, body, token = "secret") {
    return fetch(`${this.url}/api/agents/main/${path}`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: JSON.stringify(body) })
      .then((answer) => answer.text());
  }
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
export const size = { width: 1100, height: 720 };
export const context = await browser.newContext({ viewport: size, colorScheme: "light" });
export const page = await context.newPage();
page.setDefaultTimeout(20000);
const complaints = [];
let expected = []; // what the browser itself reports of a refusal that a step is about
export const expect = (...words) => { expected = words; };
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("console", (message) => {
  if (["error", "warning"].includes(message.type()) && !expected.some((each) => message.text().includes(each)))
    complaints.push(message.text());
});

let shots = 0;
export const shot = (name) => page.screenshot({ path: `screenshots/${String(++shots).padStart(2, "0")}-${name}.png` });
export const messages = (kind) => page.locator(`#talk .${kind}`);
export const rows = () => page.locator("#sessions button:not(.older, .hit)");
export const row = (words) => rows().filter({ hasText: words }).first();
export async function idle() {
  await page.locator("#send").waitFor();
  await page.locator("#talk:not([aria-busy])").waitFor();
}
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
export async function say(text) {
  await page.fill("#message", text);
  await page.press("#message", "Enter");
}
export async function reply(text) {
  await page.fill("#reply", text);
  await page.press("#reply", "Enter");
}
export async function shows(locator, text) {
  await locator.filter({ hasText: text }).first().waitFor();
}
export async function soon(question, what) {
  for (let tries = 100; tries > 0; --tries) {
    if (await question()) return;
    await pause(50);
  }
  assert.fail(`${what}: not within five seconds`);
}

// The page does not see what others write (access.mjs is about that), so that it runs into them.
export const ignoreOthers = () => page.route("**/changes?*", (route) => route.fulfill({ json: { end: 0, changed: false } }));

const steps = [];
export const step = (name, act) => steps.push([name, act]);

// Takes all steps; the process ends with 1 at the first that fails.
export async function run(...servers) {
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
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true });
  }
  process.exit(failed ? 1 : 0);
}
