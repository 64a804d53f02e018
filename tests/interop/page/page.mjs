// SPDX-License-Identifier: MIT
// The chat server's page in Chromium: the actions of a person, in the order of a visit. Takes screenshots.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Server, differing, expect, hostile, idle, messages, page, reply, row, rows, run, say, shot, shows, size, soon, step } from "./visit.mjs";

const server = new Server("store", [
  { when: "slowly", text: "word ".repeat(120), delay_ms: 25, chunk: 5 },
  { when: "endless", text: "and ".repeat(2000), delay_ms: 25, chunk: 4 },
  { when: "hostile", text: hostile },
  { summary: true, text: "They spoke of a long thing." },
]);
const early = new Server("early", [], "--profile", "zeroclaw"); // summarises at the beginning of a turn
await server.start();
await early.start();

step("the address contains the token and then drops it", async () => {
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
  await page.setViewportSize({ width: 960, height: 560 });
  await shot("tools");
  const share = await differing(readFileSync(process.env.README_PICTURE), await page.screenshot());
  assert.ok(share < 0.02, `${(100 * share).toFixed(1)} % of docs/images/chat_host.png is not the page: copy the picture "tools" there`);
  await page.setViewportSize(size);
});

step("messages are text, never markup", async () => {
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
  await soon(async () => await page.locator("#talk .time").count() === await messages("user").count(), "each message of the user has its time");
  const before = await page.locator("#talk").innerText();
  await page.reload();
  await shows(messages("assistant"), "onerror");
  await idle();
  await messages("call").first().evaluate((node) => { node.open = true; });
  assert.equal(await page.locator("#talk").innerText(), before);
});

step("a reload in the middle of an answer continues to receive it", async () => {
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
  await soon(async () => await rows().count() === 1, "one conversation is found");
  await page.fill("#search", "");
  await soon(async () => await rows().count() === 2, "all are listed again");
});

step("an answer is left and found again, and stopped", async () => {
  await page.click("#new");
  await say("An endless story");
  await shows(messages("assistant"), "and and");
  await row("slowly").click();
  await shows(messages("user"), "Speak slowly please");
  assert.equal(await page.locator("#send").isVisible(), true);
  await row("endless").click();
  await shows(messages("assistant"), "and and and");
  await page.click("#stop");
  await shows(messages("cut"), "interrupted");
  await idle();
  await say("And now?");
  await shows(messages("assistant"), "I remember 2 of your messages");
  await idle();
});

step("the server restarts in the middle, and nothing is lost", async () => {
  expect("ERR_CONNECTION"); // the page looks for changes
  await server.restart();
  await say("Still there?");
  await shows(messages("assistant"), "I remember 3 of your messages");
  await idle();
  expect();
});

step("a conversation is renamed and deleted", async () => {
  await page.click("#rename");
  await reply(`Renamed <b>${"x".repeat(60)}</b>`);
  await shows(page.locator("#title"), "Renamed <b>");
  await shows(rows(), "Renamed <b>");
  await shot("renamed");
  assert.equal(await rows().count(), 3);
  await page.click("#delete");
  await rows().nth(2).waitFor({ state: "detached" });
  assert.equal(await page.locator("#title").textContent(), "New conversation");
});

// Says long things until the oldest messages are summarised; then the page shows what it shows after a reload.
async function isSummarised(words) {
  for (let i = 0; i < 24 && await messages("compaction").count() === 0; ++i) {
    await say(`Long thing ${i} ${"x".repeat(3000)}`);
    await shows(messages("assistant"), `Long thing ${i} `);
    await idle();
  }
  await soon(async () => words.test(await messages("compaction").textContent()), "the summary is there");
  const live = await page.locator("#talk").innerHTML();
  await page.reload();
  await shows(messages("compaction"), "summarised");
  await page.locator("#talk .actions").last().waitFor();
  await idle();
  assert.equal(await page.locator("#talk").innerHTML(), live);
}

step("a long conversation shows at once where it was summarised", async () => {
  await page.click("#new");
  await isSummarised(/^Earlier messages were summarised for the model \(12 messages, [\d,]+ tokens became [\d,]+\)They spoke of a long thing\.$/);
  await messages("compaction").scrollIntoViewIfNeeded();
  await messages("compaction").locator("summary").click();
  await shows(messages("compaction").locator("pre"), "long thing");
  await shot("compaction");
});

step("a summary that is made before an answer comes before the message that is answered", async () => {
  await page.goto(`${early.url}/#token=secret`);
  await idle();
  await isSummarised(/^Earlier messages were summarised for the model \(16 messages, [\d,]+ tokens became [\d,]+\)- The user said/);
  assert.match(await messages("user").last().evaluate((node) => node.previousSibling.textContent), /^Earlier messages/);
  await page.goto(server.url);
  await soon(async () => await rows().count() === 3, "the list is there");
});

step("the channel logs are refused without the administrator's token", async () => {
  await server.post("chat", { message: `from outside ${hostile}`, sessionId: "telegram-42" }, "gateway");
  expect("403");
  await page.click("#channels");
  await reply("secret");
  await shows(page.locator("#notice"), "this is for the administrator");
  assert.equal(await page.locator("#talk table").count(), 0);
  expect();
  await page.click("#channels");
  await reply("admin");
  await server.post("chat", { message: "from a shop", sessionId: "web-shop", sender: "eve" }, "gateway");
  await page.click("#channels");
  await reply("admin");
  await page.locator("text=web-shop").waitFor();
  await page.selectOption("select[name=channelType]", "telegram");
  await page.locator("text=web-shop").waitFor({ state: "detached" });
  await page.selectOption("select[name=agentId]", "main");
  await page.selectOption("select[name=channelType]", "");
  await page.click("text=web-shop");
  await shows(page.locator("#talk td"), "eve");
  await page.click("text=All channels");
  await page.click("text=telegram-42");
  await shows(page.locator("#talk td"), "from outside <img");
  await page.fill("#sender", "nobody");
  await page.press("#sender", "Enter");
  await page.locator("#talk td").first().waitFor({ state: "detached" });
  await page.fill("#sender", "");
  await page.press("#sender", "Enter");
  await shows(page.locator("#talk td"), "from outside <img");
  await shot("channel");
});

step("a wrong token is asked for again", async () => {
  expect("401");
  await page.evaluate(() => sessionStorage.setItem("token", "wrong"));
  await page.reload();
  await reply("secret");
  await shows(rows(), "What is in config.json?");
  expect();
});

step("an address without a conversation is an error", async () => {
  expect("404");
  for (const name of ["nothing", "%E0%A4%A", "<b>"]) {
    await page.goto(`${server.url}/#${name}`);
    await page.reload();
    await shows(page.locator("#notice"), /./);
    await soon(async () => await rows().count() === 3, "the list is there");
    assert.equal(await page.title(), "Chat");
  }
  expect();
  await page.click("#new");
});

step("dark, narrow, by keyboard", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  await row("config.json").click();
  await shows(messages("user"), "What is in config.json?");
  await shot("dark");
  await page.setViewportSize({ width: 360, height: 640 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `the page is ${wide} wide`);
  await page.focus("#menu");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab"); // past the menu's own button, into what it opened or the next control
  await row("slowly").focus();
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

await run(server, early);
