// SPDX-License-Identifier: MIT
// The page for everybody: on a phone, dark, in high contrast, with a screen reader; keyboard.mjs is without a mouse. axe looks at each
// view.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Server, finds, idle, messages, page, rows, run, say, shot, shows, size, soon, step, useTool } from "./visit.mjs";

const picture = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const server = new Server("access", [
  { when: "Markdown", text: "# Title\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n1. one\n2. two\n\n> said\n\n```cpp\nint main() { return \"x\"[0]; } // why\n```\n\n[link](https://example.com) and `code`" },
], "--also-model", "other-model", "--prices", "3", "15", "--agent", "main", "--agent", "second");
await server.start();
const button = (name) => page.getByRole("button", { name, exact: true }).last();

step("a new conversation has examples", async () => {
  await page.goto(`${server.url}/#token=secret`);
  await shows(page.locator(".welcome"), "What would you like to know?");
  await shot("welcome");
  await page.locator(".welcome button").first().click();
  assert.match(await page.inputValue("#message"), /^Explain how/);
});

step("axe finds nothing in a conversation, light and dark", async () => {
  await useTool();
  await page.locator(".actions").nth(3).waitFor();
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    await shot(`axe-${colorScheme}`);
  }
});

step("details explain the tokens, and hold the settings", async () => {
  await page.click("#meter");
  await shows(page.locator("#facts"), "the oldest messages are replaced by a summary");
  await shows(page.locator("#facts"), "Repaired for the model");
  const facts = await page.locator("#facts").textContent();
  assert.match(facts, /Cost so far\s*\$0\.\d{4}/);
  assert.match(facts, /At \$3 for a million tokens read and \$15 for a million written/);
  assert.match(facts, /Repaired for the model\s*nothing/);
  await shot("details");
  await page.selectOption("#model", "other-model");
  await page.fill("#system", "You speak like a sailor.");
  await page.keyboard.press("Escape");
  await say("with a setting");
  await shows(messages("assistant"), "with a setting");
  await idle();
  await page.locator(".actions").nth(5).waitFor();
  const id = new URL(page.url()).hash.slice(1);
  const { settings } = await (await fetch(`${server.url}/api/agents/main/sessions/${id}`, { headers: { Authorization: "Bearer secret" } })).json();
  assert.deepEqual(settings, { model: "other-model", system: "You speak like a sailor." });
  await page.reload();
  await shows(messages("assistant"), "with a setting");
  await page.click("#meter");
  assert.equal(await page.inputValue("#model"), "other-model");
  await page.keyboard.press("Escape");
});

step("pictures and files are added", async () => {
  await page.setInputFiles("#files", [{ name: "dot.png", mimeType: "image/png", buffer: picture },
    { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("a line\n```\n") }]);
  await page.locator("#pictures img").waitFor();
  await soon(async () => (await page.inputValue("#message")).includes("note.txt:\n\n````txt\na line\n```\n````"), "the file is in the message");
  await page.evaluate((base64) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], "pasted.png", { type: "image/png" }));
    document.getElementById("message").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    document.getElementById("talk").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, picture.toString("base64"));
  await soon(async () => await page.locator("#pictures img").count() === 3, "three pictures");
  await finds("pictures");
  await button("Remove picture 2").click();
  assert.equal(await page.locator("#pictures img").count(), 2);
  await page.press("#message", "Enter");
  await soon(async () => await page.locator("#talk .user img").count() === 2, "they are sent");
  await idle();
  await page.reload();
  await soon(async () => await page.locator("#talk .user img").count() === 2, "they are stored");
  await page.setInputFiles("#files", [{ name: "x.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0, 1, 2]) }]);
  await shows(page.locator("#notice"), "neither text nor a picture");
  await page.click("#dismiss");
});

step("a conversation goes out and comes in", async () => {
  await page.click("#meter");
  const [log] = await Promise.all([page.waitForEvent("download"), page.click("#export-log")]);
  const [text] = await Promise.all([page.waitForEvent("download"), page.click("#export-text")]);
  await page.keyboard.press("Escape");
  assert.match(readFileSync(await text.path(), "utf8"), /## You\n\nShow me Markdown\n\n## Assistant\n\n# Title/);
  await soon(async () => !(await page.locator("#talk .message").allTextContents()).join().includes("# Title"), "Markdown is shown");
  const before = await page.locator("#talk .message").allTextContents();
  const here = page.url();
  await page.setInputFiles("#import-file", { name: "log.jsonl", mimeType: "application/json", buffer: readFileSync(await log.path()) });
  await soon(() => page.url() !== here, "it is opened");
  await soon(async () => (await page.locator("#talk .message").allTextContents()).join() === before.join(), "it is the same");
  assert.equal(await rows().count(), 2);
});

step("what was repaired is listed", async () => {
  const line = (id, parentId, message) => ({ type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z", message });
  const log = [{ type: "session", version: 3, id: "open-call", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" },
    line("a", null, { role: "user", content: [{ type: "text", text: "look" }] }),
    line("b", "a", { role: "assistant", content: [{ type: "toolCall", id: "t", name: "read", arguments: {} }] })];
  const here = page.url();
  await page.setInputFiles("#import-file", { name: "log.jsonl", mimeType: "application/json", buffer: Buffer.from(log.map((each) => `${JSON.stringify(each)}\n`).join("")) });
  await soon(() => page.url() !== here, "it is opened");
  await shows(messages("user"), "look");
  await page.click("#meter");
  await shows(page.locator("#facts li"), "missing result");
  await page.keyboard.press("Escape");
  await page.goto(here);
  await shows(messages("assistant"), "Title");
});

step("what another program writes is shown", async () => {
  const id = new URL(page.url()).hash.slice(1);
  await idle();
  execFileSync(join(dirname(process.env.CHAT_HOST), "sessionkit"), ["append", server.fileOf(id), "--role", "assistant", "--text", "from a shell"]);
  await shows(messages("assistant"), "from a shell");
  await server.post("chat", { message: "from elsewhere", sessionId: id });
  await shows(messages("assistant"), 'You said "from elsewhere"');
});

step("on a phone, also in high contrast", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ contrast: "more" });
  await shot("phone");
  const head = await page.locator("main > header").boundingBox();
  assert.ok(head.height < 60, `the head is ${head.height} high`);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
  await page.click("#menu");
  await shot("phone-list");
  await page.emulateMedia({ contrast: "no-preference" });
  await page.keyboard.press("Escape");
  await page.setViewportSize(size);
});

// The lines and colors of what is told apart by them, as they are now, and colors of the system.
async function lines() {
  await page.focus("#message");
  return page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    const system = Object.fromEntries(["Highlight", "ButtonText", "Mark", "MarkText"].map((name) => {
      probe.style.color = name;
      return [name, getComputedStyle(probe).color];
    }));
    probe.remove();
    const style = (selector, part) => getComputedStyle(document.querySelector(selector), part);
    const border = (selector) => `${style(selector).borderTopWidth} ${style(selector).borderTopStyle} ${style(selector).borderTopColor}`;
    return { system, ink: style("body").color, faint: style("#sessions small").color, field: border("#search"), user: border("#talk .user"),
      current: border("#sessions [aria-current='true']"), other: border("#sessions [aria-current='false']"), pressed: border("#archived"),
      focus: `${style("#message").outlineWidth} ${style("#message").outlineStyle}`, icon: style("#attach svg").stroke,
      hit: [style("body", "::highlight(hit)").color, style("body", "::highlight(hit)").backgroundColor] };
  });
}

step("in high contrast, lines and faint words are as strong as the others, light and dark", async () => {
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme, contrast: "no-preference" });
    const usual = await lines();
    assert.notEqual(usual.faint, usual.ink);
    assert.deepEqual([usual.focus, usual.user.slice(0, 8)], ["2px solid", "0px none"]);
    await page.emulateMedia({ contrast: "more" });
    const { ink, ...strong } = await lines();
    assert.equal(ink, usual.ink);
    assert.deepEqual([strong.faint, strong.field, strong.user, strong.current, strong.focus],
      [ink, `1px solid ${ink}`, `1px solid ${ink}`, `1px solid ${ink}`, "3px solid"]);
    await shot(`contrast-${colorScheme}`);
  }
  await page.emulateMedia({ contrast: "no-preference" });
});

step("in the colors of the system, lines show what colors showed, light and dark", async () => {
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme, forcedColors: "active" });
    const { system, ...seen } = await lines();
    assert.equal(seen.current, `2px solid ${system.Highlight}`);
    assert.ok(!seen.other.endsWith(system.Highlight), seen.other);
    assert.ok(!seen.pressed.endsWith(system.Highlight), seen.pressed);
    assert.match(seen.user, /^1px solid /);
    assert.deepEqual([seen.focus, seen.icon, seen.hit], ["2px solid", system.ButtonText, [system.MarkText, system.Mark]]);
    await shot(`forced-colors-${colorScheme}`);
    await page.keyboard.press("F6"); // to the row of this conversation: the focus is another line
    assert.equal(await page.locator("#sessions [aria-current='true']").evaluate((node) => `${getComputedStyle(node).outlineStyle} ${node === document.activeElement}`), "solid true");
  }
  await page.click("#archived");
  await soon(async () => await rows().count() === 0, "the archive is empty");
  assert.equal(await page.locator("#archived").evaluate((node) => `${getComputedStyle(node).borderTopWidth} ${getComputedStyle(node).outlineStyle}`), "2px none");
  await page.click("#archived");
  await page.emulateMedia({ forcedColors: "none" });
});

step("another agent is chosen", async () => {
  await page.click("#meter");
  await page.selectOption("#agent", "second");
  await page.waitForURL(/agent=second/);
  await soon(async () => await rows().count() === 0, "it has no conversations yet");
});

await run(server);
