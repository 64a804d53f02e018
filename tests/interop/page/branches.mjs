// SPDX-License-Identifier: MIT
// What a person does with a message that is there: copy it, say it in another way, have it answered again, and go back to what
// was said before.
import assert from "node:assert/strict";
import { Server, context, expect, idle, ignoreOthers, messages, page, run, say, shot, shows, soon, step } from "./visit.mjs";

const server = new Server("branches", [
  { when: "the question", text: "The **first** answer." },
  { when: "the question", text: "The second answer." },
  { when: "a long one", text: "and ".repeat(2000), delay_ms: 25, chunk: 4 },
  { when: "Please continue", text: "the rest." },
  { when: "refuse", error: { kind: "refused", message: "no" } },
]);
const flat = new Server("flat", [], "--profile", "claw0");
await server.start();
await flat.start();
await ignoreOthers();

const button = (label, n = -1) => page.getByRole("button", { name: label, exact: true }).nth(n);
const said = () => page.locator("#talk .message").allTextContents();
const versions = () => page.locator(".branches > span").allTextContents();
const ready = () => soon(async () => await page.locator("#talk .actions").count() === (await said()).length, "each message has its buttons");

step("a message is copied as it was written", async () => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${server.url}/#token=secret`);
  await say("the question");
  await shows(messages("assistant"), "The first answer.");
  await idle();
  await ready();
  await button("Copy this message").click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "The **first** answer.");
});

step("a message is answered again, and both answers are there", async () => {
  await button("Answer again").click();
  await shows(messages("assistant"), "The second answer.");
  await idle();
  await soon(async () => (await versions()).join() === "2 of 2", "there are two");
  assert.deepEqual(await said(), ["the question", "The second answer."]);
  assert.equal(await button("Next version").isDisabled(), true);
  await shot("versions");
  await button("Previous version").click();
  await shows(messages("assistant"), "The first answer.");
  assert.deepEqual(await versions(), ["1 of 2"]);
  assert.equal(await messages("assistant").locator("strong").textContent(), "first");
  await page.reload();
  await shows(messages("assistant"), "The first answer.");
});

step("a message is taken back with all that follows, and brought back", async () => {
  const begun = new URL(page.url()).hash.slice(1);
  await page.click("#new");
  for (const text of ["one hour ago", "half an hour ago", "just now"]) {
    await say(text);
    await shows(messages("assistant"), text);
    await idle();
  }
  await ready();
  assert.match((await page.locator(".actions .time").allTextContents()).join(), /^\d\d:\d\d,\d\d:\d\d,\d\d:\d\d$/);
  const all = await said();
  assert.equal(await page.getByRole("button", { name: "Take back from here" }).count(), 2); // nothing is before the first
  await button("Take back from here", 0).click();
  await shows(page.locator("#notice"), "Taken back");
  assert.deepEqual(await said(), all.slice(0, 2));
  await shot("taken-back");
  await page.click("#undo");
  await soon(async () => (await said()).length === 6, "all is there again");
  assert.deepEqual(await said(), all);
  await button("Take back from here", 0).click();
  await shows(page.locator("#notice"), "Taken back");
  await say("another way");
  await shows(messages("assistant"), "I remember 2 of your messages");
  await idle();
  await page.goto(`${server.url}/#${begun}`);
  await shows(messages("assistant"), "The first answer.");
  await ready();
});

step("an earlier message is said in another way", async () => {
  await say("a second message");
  await shows(messages("assistant"), "You said \"a second message\"");
  await idle();
  await ready();
  await button("Edit and send again", 0).click();
  assert.equal(await page.inputValue("#message"), "the question");
  await shows(page.locator("#editing"), "You edit an earlier message");
  await page.keyboard.press("Escape");
  assert.equal(await page.inputValue("#message"), "");
  assert.equal(await page.locator("#editing").isVisible(), false);
  await button("Edit and send again", 0).click();
  await page.keyboard.type(" in other words");
  await page.keyboard.press("Enter");
  await shows(messages("assistant"), "I remember 1 of your messages");
  await idle();
  await soon(async () => (await versions()).join() === "2 of 2", "there are two");
  assert.deepEqual(await said(), ["the question in other words", "You said \"the question in other words\". I remember 1 of your messages."]);
  await button("Previous version").click();
  await shows(messages("user"), "a second message");
  assert.deepEqual(await versions(), ["1 of 2", "1 of 2"]);
});

step("a cut answer is continued", async () => {
  await say("a long one");
  await shows(messages("assistant").last(), "and and");
  await page.click("#stop");
  await shows(messages("cut"), "interrupted");
  await idle();
  await ready();
  await button("Continue this answer").click();
  await shows(messages("assistant").last(), "the rest.");
  await idle();
});

step("an answer that fails leaves the one before", async () => {
  await say("refuse");
  await shows(page.locator("#notice"), "refused");
  await idle();
  await say("fine again");
  await shows(messages("assistant"), "fine again");
  await idle();
  const before = await said();
  await server.restart();
  await page.reload();
  await soon(async () => (await said()).length === before.length, "it is there");
  await ready();
  expect("409");
  const id = new URL(page.url()).hash.slice(1);
  const other = server.post("chat", { message: "a long one", sessionId: id });
  await soon(async () => (await (await fetch(`${server.url}/api/agents/main/sessions/${id}`, { headers: { Authorization: "Bearer secret" } })).json()).running, "it answers another");
  await button("Answer again").click();
  await shows(page.locator("#notice"), "is already answering");
  await shows(messages("assistant").last(), "and and");
  await page.click("#stop");
  await other;
  await idle();
  expect();
});

step("where the format has no branches there is no such button", async () => {
  await page.goto(`${flat.url}/#token=secret`);
  await say("hello");
  await shows(messages("assistant"), "hello");
  await idle();
  await ready();
  assert.equal(await button("Copy this message").isVisible(), true);
  assert.equal(await page.getByRole("button", { name: "Answer again" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Edit and send again" }).count(), 0);
});

await run(server, flat);
