// SPDX-License-Identifier: MIT
// The page for those who hear it: the browser's accessibility tree, and what the live regions announce.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Server, idle, messages, page, pictures, row, rows, run, say, session, shows, soon, step, useTool } from "./visit.mjs";

const server = new Server("reader", [
  { when: "Markdown", text: "# Title\n\nSome `code` and a [link](https://example.com).\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- one\n- two\n\n```cpp\nint x;\n```" },
  { when: "refuse", error: { kind: "refused", message: "no" } },
  { when: "slowly", text: "word ".repeat(40), delay_ms: 25, chunk: 5 },
  { when: "endless", text: "and ".repeat(2000), delay_ms: 25, chunk: 4 },
], "--prices", "3", "15");
const noTrash = new Server("no_trash", [], "--profile", "claw0");
await server.start();
await noTrash.start();

// What a screen reader can read, in its order: each line is a role with its name and its states. Texts that only repeat a name
// are left out.
async function tree() {
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const all = new Map(nodes.map((node) => [node.nodeId, node]));
  const lines = [];
  const visit = (node, depth, above) => {
    const role = node.role?.value;
    const name = node.name?.value ?? "";
    const isShown = !node.ignored && !["none", "generic", "sectionheader", "sectionfooter", "InlineTextBox", "LineBreak", "RootWebArea"].includes(role)
      && !(role === "StaticText" && above.includes(name));
    const states = (node.properties ?? []).filter(({ name: which, value }) => ["disabled", "expanded", "pressed", "busy"].includes(which) || (which === "level" && role === "heading"))
      .map(({ name: which, value }) => ` ${which}=${value.value}`);
    if (isShown) lines.push(`${"  ".repeat(depth)}${role}${name ? ` "${name}"` : ""}${states.join("")}`);
    for (const id of node.childIds ?? []) if (all.has(id)) visit(all.get(id), depth + Number(isShown), name || above);
  };
  visit(nodes[0], 0, "");
  return lines.map((line) => line.replace(/\d\d:\d\d/g, "HH:MM")).join("\n");
}

const expected = Object.fromEntries(readFileSync("screen_reader.txt", "utf8").split(/^== /m).slice(1)
  .map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1).trimEnd()]));
const seen = [];
async function isRead(name) {
  const read = await tree();
  seen.push(`== ${name}\n${read}\n`);
  writeFileSync(join(pictures, "screen_reader.txt"), seen.join("\n"));
  assert.equal(read, expected[name], `the tree of "${name}"; as it is now: screenshots/screen_reader/screen_reader.txt`);
}

// The texts that the regions with the role "status" get, as they get them.
const listen = () => page.evaluate(() => {
  window.heard = [];
  window.ear?.disconnect();
  window.ear = new MutationObserver((records) => {
    for (const region of new Set(records.map(({ target }) => (target.closest ?? target.parentNode.closest).call(target.closest ? target : target.parentNode, "[role=status]"))))
      if (region?.textContent) window.heard.push(region.textContent);
  });
  window.ear.observe(document.body, { childList: true, characterData: true, subtree: true });
});
const hears = async (words) => soon(async () => JSON.stringify(await page.evaluate(() => window.heard)) === JSON.stringify(words),
  `"${words.join("\", \"")}" is announced, not "${(await page.evaluate(() => window.heard)).join("\", \"")}"`);

step("a new conversation is read", async () => {
  await page.goto(`${server.url}/#token=secret`);
  await idle();
  await isRead("a new conversation");
});

step("a conversation with a tool is read", async () => {
  await useTool();
  await messages("call").locator("summary").click();
  await page.focus("#message");
  await soon(async () => await page.locator("#talk .actions").count() === await page.locator("#talk .message").count(), "each message has its buttons");
  await soon(async () => (await row("Show me").textContent()).length > 0 && await page.locator("#sessions small").filter({ hasText: "answering" }).count() === 0, "the list is there");
  await isRead("a conversation with a tool");
});

step("details are read", async () => {
  await page.click("#meter");
  await shows(page.locator("#facts"), "Repaired for the model");
  await isRead("details");
  await page.keyboard.press("Escape");
});

step("an error is read", async () => {
  await page.click("#new");
  await say("refuse");
  await shows(page.locator("#notice"), "refused");
  await idle();
  await page.locator("#talk .actions").waitFor();
  await soon(async () => await rows().count() === 2 && await page.locator("#sessions small").filter({ hasText: "answering" }).count() === 0, "the list is there");
  await isRead("an error");
});

step("an answer is announced when it begins and when it ends, and is read as a whole", async () => {
  await listen();
  await say("slowly");
  await shows(messages("assistant"), "word word");
  await hears(["Answering."]);
  assert.equal(await page.locator("[role=log]").getAttribute("aria-busy"), "true");
  await idle();
  await hears(["Answering.", "The answer is complete."]);
  await listen();
  await say("endless");
  await shows(messages("assistant").last(), "and and");
  await page.click("#stop");
  await idle();
  await hears(["Answering.", "The answer was stopped."]);
});

step("a conversation that is deleted is announced", async () => {
  await listen();
  await page.click("#delete");
  await hears(["“refuse” is in the trash."]);
  await page.goto(`${noTrash.url}/#token=secret`);
  await say("to be deleted");
  await shows(messages("assistant"), "to be deleted");
  await idle();
  await listen();
  await page.click("#delete");
  await page.click("#yes");
  await hears(["“to be deleted” is deleted."]);
});

await run(server, noTrash);
