// SPDX-License-Identifier: MIT
// Finds what was said, and keeps the list in order: groups by day, renames, archives, deletes and takes back.
import assert from "node:assert/strict";
import { Server, idle, messages, page, row, rows, run, say, shot, shows, soon, step } from "./visit.mjs";

const server = new Server("finding", [
  { when: "whales", text: `${"A paragraph about the sea.\n\n".repeat(60)}The **blue whale** is the largest animal.\n\n${"More.\n\n".repeat(60)}` },
]);
await server.start();

const hits = () => page.locator("#sessions .hit");
const inView = (locator) => locator.evaluate((node) => {
  const place = node.getBoundingClientRect();
  return place.bottom > 0 && place.top < innerHeight;
});

step("the list is grouped by day", async () => {
  await page.goto(`${server.url}/#token=secret`);
  await say("tell me of whales");
  await shows(messages("assistant"), "largest animal");
  await idle();
  await page.click("#new");
  await say("another matter");
  await shows(messages("assistant"), "another matter");
  await idle();
  assert.deepEqual(await page.locator("#sessions h2").allTextContents(), ["Today"]);
  assert.match(await rows().first().locator("small").textContent(), /^\d\d:\d\d$/);
  assert.deepEqual(await page.evaluate(async () => {
    const { groupOf } = await import("./list.js");
    const now = new Date(2026, 7, 13, 12);
    return [[13, 0], [12, 23], [12, 0], [11, 23], [7, 0], [6, 23]].map(([date, hour]) => groupOf(new Date(2026, 7, date, hour).getTime(), now));
  }), ["Today", "Yesterday", "Yesterday", "This week", "This week", "August 2026"]);
});

step("words in a message are found, and the hit is opened in its place", async () => {
  await page.fill("#search", "LARGEST animal");
  await soon(async () => await hits().count() === 1, "one message is found");
  assert.equal(await hits().locator("mark").textContent(), "largest animal");
  await shot("found");
  await hits().click();
  await shows(messages("assistant"), "largest animal");
  await idle();
  await soon(async () => inView(page.locator("#talk strong")), "the hit is in view");
  assert.equal(await page.evaluate(() => [...CSS.highlights.get("hit")].map((range) => range.toString()).join()), "largest animal");
  await shot("opened-in-place");
});

step("a hit on another branch is opened too", async () => {
  await page.click("#new");
  await say("a red herring");
  await shows(messages("assistant"), "red herring");
  await idle();
  const id = new URL(page.url()).hash.slice(1);
  await server.post("chat", { message: "a green apple", sessionId: id, after: "" });
  await page.fill("#search", "red herring");
  await soon(async () => await hits().count() === 2, "both messages are found");
  await hits().last().click();
  await shows(messages("user"), "a red herring");
  await page.fill("#search", "there is no such word");
  await shows(page.locator("#sessions .group"), "Nothing found");
  await page.fill("#search", "");
  await soon(async () => await rows().count() === 3, "all are listed again");
});

step("a new title replaces the selected old one", async () => {
  await row("another matter").click();
  await shows(messages("user"), "another matter");
  await page.click("#rename");
  await page.keyboard.type("A better title");
  await page.keyboard.press("Enter");
  await shows(page.locator("#title"), /^A better title$/);
});

step("a deleted conversation is taken back", async () => {
  const before = await page.locator("#talk").innerText();
  await page.click("#delete");
  await shows(page.locator("#notice"), "is in the trash");
  await soon(async () => await rows().count() === 2, "it is gone");
  await shot("deleted");
  await page.click("#undo");
  await soon(async () => await rows().count() === 3, "it is there again");
  await shows(page.locator("#title"), "A better title");
  await idle();
  assert.equal(await page.locator("#talk").innerText(), before);
});

step("an archived conversation leaves the list, and comes back", async () => {
  await page.click("#archive");
  await soon(async () => await rows().count() === 2, "it is not in the list");
  await page.click("#archived");
  await soon(async () => await rows().count() === 1, "it is in the archive");
  await shows(rows(), "A better title");
  await page.getByRole("button", { name: "Take out of archive" }).click();
  await shows(page.locator("#sessions .group"), "Nothing is archived");
  await page.click("#archived");
  await soon(async () => await rows().count() === 3, "all are listed");
});

await run(server);
