// SPDX-License-Identifier: MIT
// What the page's tests share: a server, a browser that visits it, and what a person does there.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { chromium } from "playwright-core";

const folder = mkdtempSync(join(tmpdir(), "sessionkit-page-"));
const files = join(folder, "files");
mkdirSync(files);
export const pictures = join("screenshots", basename(process.argv[1], ".mjs"));
rmSync(pictures, { recursive: true, force: true }); // of an earlier run
mkdirSync(pictures, { recursive: true });
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
    this.process = spawn(process.env.CHAT_HOST, [...this.arguments, "--port", String(port)], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, XDG_STATE_HOME: join(folder, "state") } });
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

  // The file of a session, as another program finds it.
  fileOf(id) {
    return readdirSync(this.arguments[1], { recursive: true }).map((name) => join(this.arguments[1], name)).find((name) => basename(name) === `${id}.jsonl`);
  }

  // The same port again.
  async restart(signal) {
    const { port } = new URL(this.url);
    await this.stop(signal);
    await this.start(port);
  }

  // What another client says.
  post(path, body, token = "secret") {
    return fetch(`${this.url}/api/agents/main/${path}`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: typeof body === "string" ? body : JSON.stringify(body) })
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

// The page's policy allows no script from outside: axe runs in a world of its own.
const axe = readFileSync(new URL(import.meta.resolve("axe-core")), "utf8");
export const session = await context.newCDPSession(page);
export async function finds(name) {
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "axe" });
  await session.send("Runtime.evaluate", { expression: axe, contextId });
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", { contextId, awaitPromise: true, returnByValue: true,
    expression: `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.html.slice(0, 150) + node.failureSummary.slice(0, 200)).join(" | ")))` });
  assert.equal(exceptionDetails, undefined);
  assert.deepEqual(result.value, [], `axe: ${name}`);
}

// The share of pixels that differ in two pictures of one size; 1 if their sizes differ.
export async function differing(one, other) {
  const blank = await browser.newPage();
  const share = await blank.evaluate(async (pictures) => {
    const [a, b] = await Promise.all(pictures.map(async (base64) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: "image/png" }));
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      return canvas.getImageData(0, 0, image.width, image.height);
    }));
    if (a.width !== b.width || a.height !== b.height) return 1;
    let count = 0;
    for (let i = 0; i < a.data.length; i += 4)
      if ([0, 1, 2].some((k) => Math.abs(a.data[i + k] - b.data[i + k]) > 8)) ++count;
    return count / (a.width * a.height);
  }, [one, other].map((picture) => picture.toString("base64")));
  await blank.close();
  return share;
}

let shots = 0;
const picture = (name) => page.screenshot({ path: join(pictures, `${String(++shots).padStart(2, "0")}-${name}.png`) });
// A picture of the view, in which axe finds nothing.
export async function shot(name) {
  await picture(name);
  await finds(name);
}
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
// Begins a conversation with Markdown, which the script of the server has, and a tool.
export async function useTool() {
  await say("Show me Markdown");
  await shows(messages("assistant"), "Title");
  await idle();
  await say("What is in config.json?");
  await shows(messages("assistant"), "It says");
  await idle();
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
    await picture("failed");
  } finally {
    await browser.close();
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true });
  }
  process.exit(failed ? 1 : 0);
}
