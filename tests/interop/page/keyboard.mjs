// SPDX-License-Identifier: MIT
// The page by keyboard alone: no step has a mouse, gives an element the focus or fills a field. After each act, the focus is where
// a person can go on.
import assert from "node:assert/strict";
import { Server, context, finds, idle, messages, page, rows, run, shot, shows, size, soon, step } from "./visit.mjs";

const server = new Server("keyboard", [
  { when: "the question", text: "The **first** answer." },
  { when: "the question", text: "The second answer." },
  { when: "a long one", text: "and ".repeat(2000), delay_ms: 25, chunk: 4 },
  { when: "slowly", text: "word ".repeat(60), delay_ms: 25, chunk: 5 },
  { when: "refuse", error: { kind: "refused", message: "no" } },
], "--also-model", "other-model");
await server.start();
await context.grantPermissions(["clipboard-read", "clipboard-write"]);
await page.addInitScript(() => {
  window.pointed = 0;
  addEventListener("pointerdown", () => ++window.pointed, true);
});
const choosers = []; // of files
page.on("filechooser", (chooser) => choosers.push(chooser));

const press = (keys) => page.keyboard.press(keys);
async function type(text) {
  await page.keyboard.type(text);
  await press("Enter");
}
// The name of the control that has the focus, which must be seen to have it.
async function focus() {
  const { name, seen } = await page.evaluate(() => {
    const node = document.activeElement;
    const style = getComputedStyle(node);
    return { name: node === document.body ? "nothing" : node.ariaLabel ?? node.innerText, seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 };
  });
  if (name !== "nothing") assert.ok(seen, `"${name}" has the focus, and nothing shows it`);
  return name;
}
const isAt = (name) => soon(async () => (await focus()).startsWith(name), `the focus is at "${name}"`);
// Presses a key until a control has the focus: Tab, or another one.
async function to(name, key = "Tab", most = 12) {
  for (let n = 0; n < most; ++n) {
    await press(key);
    if ((await focus()).startsWith(name)) return;
  }
  assert.fail(`${most} times ${key} do not lead to "${name}", but to "${await focus()}"`);
}
const toHead = () => to("Rename", "Shift+F6");
const answered = async (text) => {
  await shows(messages("assistant").last(), text);
  await idle();
};

step("messages are sent, and a conversation begins", async () => {
  await page.goto(`${server.url}/#token=secret`);
  await isAt("Message");
  await type("the question");
  await answered("The first answer.");
  await press("Control+Alt+n");
  await isAt("Message");
  await to("Explain", "Shift+Tab");
  await to("Find");
  await press("Enter");
  await isAt("Message");
  await press("Enter");
  await answered("It says");
  assert.equal(await rows().count(), 2);
});

step("a tool call is opened", async () => {
  await to("called read_file", "Shift+Tab");
  await press("Enter");
  await shows(messages("call").locator(".result"), "eu-west-1");
  await isAt("called read_file");
});

step("a row of the list is chosen, by the arrows and by Tab", async () => {
  await press("Control+k");
  await to("the question", "ArrowDown");
  await press("Enter");
  await answered("The first answer.");
  await isAt("the question");
  await to("What is in config.json?", "Shift+Tab");
  await press("Space");
  await answered("It says");
  await isAt("What is in config.json?");
  await to("the question", "ArrowDown");
  await press("Enter");
  await answered("The first answer.");
  await press("Escape");
  await isAt("Message");
  await press("F6");
  await isAt("the question");
  await to("Message", "F6", 3);
});

step("a message is answered again, and its versions are shown", async () => {
  await to("Answer again", "Shift+Tab");
  await press("Enter");
  await answered("The second answer.");
  await isAt("Message");
  await soon(async () => (await page.locator(".branches > span").allTextContents()).join() === "2 of 2", "there are two");
  await to("Previous version", "Shift+Tab");
  await press("Space");
  await answered("The first answer.");
  await isAt("Next version");
  await press("Enter");
  await answered("The second answer.");
  await isAt("Previous version");
});

step("a message is copied", async () => {
  await to("Copy this message");
  await press("Enter");
  await soon(async () => await page.evaluate(() => navigator.clipboard.readText()) === "The second answer.", "it is copied");
  await isAt("Copy this message");
});

step("a message is edited, from its button and from an empty field", async () => {
  await to("Edit and send again", "Shift+Tab");
  await press("Enter");
  await isAt("Message");
  await page.keyboard.type(" in other words");
  await to("Cancel", "Shift+Tab");
  await press("Enter");
  await isAt("Message");
  assert.equal(await page.inputValue("#message"), "");
  await press("ArrowUp");
  assert.equal(await page.inputValue("#message"), "the question");
  await press("Escape");
  assert.equal(await page.inputValue("#message"), "");
  assert.equal(await page.locator("#editing").isVisible(), false);
});

step("an answer is stopped", async () => {
  await type("a long one");
  await shows(messages("assistant").last(), "and and");
  await finds("answering");
  await press("Escape");
  await shows(messages("cut"), "interrupted");
  await idle();
  await page.getByRole("button", { name: "Continue this answer" }).waitFor();
});

step("a button keeps the focus when the next answer ends, although the row of buttons changes", async () => {
  await type("slowly");
  await shows(messages("assistant").last(), "word word");
  await to("Continue this answer", "Shift+Tab");
  await to("Copy this message", "Shift+Tab");
  await answered("word word");
  await soon(async () => await page.locator("#talk .actions").count() === await page.locator("#talk .message").count(), "each message has its buttons");
  await isAt("Copy this message");
  await to("Message", "F6");
});

step("a conversation is renamed and archived", async () => {
  await toHead();
  await press("Enter");
  await type("A better title");
  await shows(page.locator("#title"), /^A better title$/);
  await isAt("Rename");
  await to("Archive");
  await press("Enter");
  await soon(async () => await rows().count() === 1, "it is not in the list");
  await isAt("Take out of archive");
  await press("Space");
  await soon(async () => await rows().count() === 2, "it is in the list");
  await isAt("Archive");
});

step("details are opened, and the model is chosen", async () => {
  for (let n = 0; n < 3 && !(await focus()).endsWith("tokens"); ++n) await press("Tab");
  await press("Enter");
  await shows(page.locator("#facts"), "In the next request");
  for (let n = 0; n < 6 && await page.evaluate(() => document.activeElement.id) !== "model"; ++n) await press("Tab");
  await press("ArrowDown");
  assert.equal(await page.inputValue("#model"), "other-model");
  await press("Escape");
  assert.match(await focus(), /of 15,000 tokens$/);
});

step("pictures are added and removed", async () => {
  await to("Message", "F6");
  await to("Add pictures or files", "Shift+Tab");
  await press("Enter");
  await soon(() => choosers.length === 1, "files can be chosen");
  await choosers[0].setFiles([1, 2].map((n) => ({ name: `${n}.png`, mimeType: "image/png", buffer: Buffer.from("not one that is looked at") })));
  await page.locator("#pictures img").nth(1).waitFor();
  await isAt("Add pictures or files");
  for (const left of [1, 0]) {
    await to("Remove picture 1", "Shift+Tab");
    await press("Enter");
    await soon(async () => await page.locator("#pictures img").count() === left, `${left} are left`);
    await isAt("Message");
  }
});

step("a conversation is deleted, and taken back", async () => {
  await toHead();
  await to("Delete");
  await press("Enter");
  await shows(page.locator("#notice"), "is in the trash");
  await soon(async () => await rows().count() === 1, "it is gone");
  await isAt("Message");
  await to("Undo", "Shift+Tab");
  await press("Enter");
  await shows(page.locator("#title"), "A better title");
  await soon(async () => await rows().count() === 2, "it is there again");
  await isAt("Message");
});

step("an error is dismissed", async () => {
  await type("refuse");
  await shows(page.locator("#notice"), "refused");
  await idle();
  await to("Dismiss", "Shift+Tab");
  await press("Enter");
  assert.equal(await page.locator("#notice").textContent(), "");
  await isAt("Message");
});

step("words are found, and the hit is opened", async () => {
  await press("Control+k");
  await page.keyboard.type("eu-west");
  await page.locator("#sessions .hit").waitFor();
  await press("ArrowDown");
  await press("Enter");
  await answered("It says");
  await press("Control+k");
  await press("Escape");
  assert.equal(await page.inputValue("#search"), "");
  await press("Escape");
  await isAt("Message");
});

step("a long conversation is walked through", async () => {
  const line = (n) => JSON.stringify({ type: "message", id: `e${n}`, parentId: n === 0 ? null : `e${n - 1}`, timestamp: "2026-01-01T00:00:00.000Z",
    message: { role: n % 2 ? "assistant" : "user", content: [{ type: "text", text: `Message ${n}.` }] } });
  const log = [JSON.stringify({ type: "session", version: 3, id: "long", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" }),
    ...Array.from({ length: 300 }, (_, n) => line(n))];
  const { id } = JSON.parse(await server.post("import", log.map((each) => `${each}\n`).join("")));
  await page.goto(`${server.url}/#${id}`);
  await shows(messages("assistant"), "Message 299.");
  const first = async () => Number(/\d+/.exec(await page.locator("#talk .message").first().textContent()));
  await to("Conversation", "Shift+F6");
  for (const before of [200, 160, 120]) {
    assert.equal(await first(), before);
    await press("Tab"); // to "Earlier messages", which come as soon as it is in view
    await soon(async () => await first() < before, "earlier messages are shown");
    await isAt("Conversation");
  }
  await press("Control+Alt+n");
});

step("the shortcuts are listed", async () => {
  await press("Control+/");
  await shows(page.locator("#shortcuts"), "send the message");
  await shot("shortcuts");
  await press("Escape");
  await isAt("Message");
});

step("on a phone, the list opens and closes", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const isOpen = () => page.locator("#menu").getAttribute("aria-expanded");
  await to("Conversations", "Shift+F6");
  await press("Enter");
  await isAt("Search titles and messages");
  assert.equal(await isOpen(), "true");
  await to("A better title", "ArrowDown");
  await press("Enter");
  await shows(messages("user").last(), "refuse");
  await isAt("Message");
  assert.equal(await isOpen(), "false");
  await press("Control+k");
  await isAt("Search titles and messages");
  assert.equal(await isOpen(), "true");
  await press("Escape");
  await isAt("Message");
  assert.equal(await isOpen(), "false");
  await page.setViewportSize(size);
});

step("nothing of this was done with a mouse", async () => assert.equal(await page.evaluate(() => window.pointed), 0));

await run(server);
