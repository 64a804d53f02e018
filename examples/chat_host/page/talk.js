// SPDX-License-Identifier: MIT
// Shows a conversation. Its content is untrusted: it becomes text, or the nodes that Markdown may have, never markup.
import { momentOf } from "./list.js";
import { copyText, element, iconButton, showCopied } from "./nodes.js";
import { Streamed, fill, parse } from "./rich.js";

const shownAtOnce = 100; // entries
const step = 40; // entries
const patience = 200; // milliseconds until stored texts are shown as they are, to be parsed later
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const pretty = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

function folded(summary, text, className = "") {
  return element("details", { className, children: [element("summary", { text: summary }), element("pre", { children: [text] })] });
}

const summarised = "Earlier messages were summarised for the model";
const ends = { interrupted: "interrupted", failed: "failed", too_long: "stopped: too many steps" };

function image(url) {
  // Pictures of other servers are not fetched: that would reveal the reader to them.
  return url.startsWith("data:image/") ? element("img", { src: url, alt: "image" }) : element("span", { text: `[image ${url}]` });
}

// The texts of entries, one for each message that is shown.
const textsOf = (entries) => entries.flatMap((entry) => (entry.content ?? [])
  .filter((part) => part.type === "text" || (part.type === "image" && entry.role === "user"))
  .map((part) => ({ entry, role: entry.role, text: part.text ?? part.url })));

// What a summary replaces: the messages before the first that it keeps.
function replacedBy({ id, firstKeptEntryId, tokensBefore, tokensAfter }, entries) {
  const place = entries.findIndex((entry) => entry.id === id);
  const kept = entries.findIndex((entry) => entry.id === firstKeptEntryId);
  const count = entries.slice(0, kept < 0 ? place : kept).filter((entry) => entry.type === "message").length;
  const number = (value) => value.toLocaleString("en");
  const tokens = tokensBefore ? `, ${number(tokensBefore)} tokens${tokensAfter ? ` became ${number(tokensAfter)}` : ""}` : "";
  return ` (${count} ${count === 1 ? "message" : "messages"}${tokens})`;
}

export class Talk {
  // `act` has what the buttons under a message do: `edit(entry, before)`, `again(message)`, `go(entry)`, `more()`.
  constructor(into, act) {
    Object.assign(this, { into, act });
    this.changing = false; // several changes are made at once
    this.pending = 0; // how many texts are to be parsed yet, or turns to end
    this.sight = new IntersectionObserver((seen) => {
      const edge = seen.find((each) => each.isIntersecting && each.target.isConnected);
      if (edge) this.move(edge.target.by);
    }, { root: into, rootMargin: "600px" });
    this.clear();
  }

  clear() {
    this.into.replaceChildren();
    this.sight.disconnect();
    Object.assign(this, { from: 0, to: 0, hasEnd: true }); // the window of the stored entries that is shown
    CSS.highlights?.delete("hit");
    this.texts = []; // the shown messages: node, role, text, and the row of buttons if they are stored
    this.calls = new Map();
    this.open = null; // the open node: a message or a thought
    this.unread = []; // the notes of compactions whose summaries are not known yet
    this.wait = null; // the note that a request is tried again
  }

  close() {
    if (this.open?.kind === "text") this.whileBusy(this.open.stream.finish());
    this.open = null;
  }

  // Until `done`, what is shown is not complete: a screen reader waits for the rest.
  async whileBusy(done) {
    this.into.setAttribute("aria-busy", "true");
    ++this.pending;
    await done;
    if (--this.pending === 0) this.into.removeAttribute("aria-busy");
  }

  add(node) {
    this.close();
    this.change(() => this.into.append(node));
    return node;
  }

  // Scrolls on if the end is visible; otherwise keeps the position.
  change(action) {
    if (this.changing) return action();
    const atEnd = this.into.scrollHeight - this.into.scrollTop - this.into.clientHeight < 80;
    action();
    if (atEnd) this.into.scrollTop = this.into.scrollHeight;
    return undefined;
  }

  user(text) {
    return this.message("user", text, [text]);
  }

  picture(url) {
    return this.message("user", url, [image(url)]);
  }

  message(role, text, children = []) {
    const node = this.add(element("div", { className: `message ${role}`, role: "article", ariaLabel: role === "user" ? "You" : "Assistant", children }));
    this.texts.push({ node, role, text, row: null });
    return node;
  }

  call({ id, name, input }) {
    this.calls.set(id, this.add(folded(`called ${name}`, pretty(input), "call")));
  }

  result({ id, text, isError }) {
    const call = this.calls.get(id);
    if (!call) return;
    call.append(element("pre", { className: "result", text }));
    call.classList.toggle("failed", isError);
    if (isError) call.firstChild.textContent += " (failed)";
  }

  // Without an entry, its summary is not known yet.
  compaction(entry, all) {
    const note = this.add(folded(summarised, "The summary is shown when the turn has ended.", "mark compaction"));
    if (entry) this.summary(note, entry, all);
    else this.unread.push(note);
  }

  summary(note, entry, all) {
    note.firstChild.textContent = summarised + replacedBy(entry, all);
    note.lastChild.textContent = entry.summary;
  }

  // The note on how an answer ended, unless it was complete.
  ended(words) {
    this.add(element("div", { className: "cut", text: words }));
  }

  waiting(words) {
    this.wait = this.add(element("div", { className: "cut", text: words }));
  }

  // The rest of the answer is not known.
  lost() {
    this.wait?.remove();
    this.ended("the connection was lost here");
  }

  // Adds text to the answer or to a thought. It extends one node, so that a long answer stays cheap.
  write(kind, piece) {
    if (this.open?.kind !== kind) this.begin(kind);
    if (kind === "text") {
      this.open.said.text += piece;
      this.open.stream.append(piece);
    }
    else this.change(() => this.open.text.appendData(piece));
  }

  begin(kind) {
    if (kind === "text") {
      const stream = new Streamed(this.message("assistant", ""), (action) => this.change(action));
      this.open = { kind, stream, said: this.texts.at(-1) };
    } else {
      const text = document.createTextNode("");
      this.add(folded("thought", text, "mark"));
      this.open = { kind, text };
    }
  }

  // Shows these stored entries and nothing else: the last ones, or those around the entry `at`. Without branches, a message
  // cannot be edited or answered again.
  entries(entries, { canBranch, signal, at }) {
    const place = entries.findIndex(({ id }) => id === at);
    Object.assign(this, { next: { all: entries, canBranch, signal } });
    return this.window(place < 0 ? entries.length : place - shownAtOnce / 2);
  }

  // Shows the entries from about the `wanted`th on. A long conversation is shown in part; turns stay whole.
  async window(wanted) {
    const { all, canBranch, signal } = this.next;
    const isBegin = (n) => n <= 0 || n >= all.length || all[n].role === "user";
    let from = Math.floor(Math.max(0, Math.min(wanted, all.length - shownAtOnce)));
    while (!isBegin(from)) --from;
    let to = Math.min(all.length, from + shownAtOnce);
    while (!isBegin(to)) ++to;
    const shown = all.slice(from, to);
    const parts = shown.flatMap(({ role, content }) => (role === "assistant" ? content.filter((part) => part.type === "text") : []));
    for (const part of parts) part.parsed ??= parse(part.text).then((tree) => (part.tree = tree));
    await Promise.race([Promise.all(parts.map((part) => part.parsed)), pause(patience)]);
    if (signal.aborted) return;
    const focus = this.focused;
    this.clear();
    Object.assign(this, { from, to, all, hasEnd: to === all.length });
    this.change(() => {
      this.changing = true;
      if (from > 0) this.into.append(this.edge("Earlier messages", -step));
      for (const entry of shown) this.entry(entry, all);
      if (!this.hasEnd) this.into.append(this.edge("Later messages", step));
      this.label(all, canBranch);
      this.changing = false;
    });
    if (focus) this.focus(focus);
  }

  // The control here that has the focus and shows it: its name, and the entry of its message if it is one of the buttons
  // below; null if there is none.
  get focused() {
    const { activeElement } = document;
    if (activeElement === this.into || !this.into.contains(activeElement) || !activeElement.matches(":focus-visible")) return null;
    return { name: activeElement.ariaLabel, entry: this.texts.find(({ row }) => row?.contains(activeElement))?.node.dataset.entry };
  }

  // Gives the focus to the button of this name below the entry's message, or else to its first button, or to the conversation.
  focus({ name, entry }) {
    const rows = this.texts.filter(({ node, row }) => row && node.dataset.entry === entry).map(({ row }) => row);
    const buttons = rows.flatMap((row) => [...row.querySelectorAll("button:enabled")]);
    (buttons.find(({ ariaLabel }) => ariaLabel === name) ?? buttons[0] ?? this.into).focus({ preventScroll: true });
  }

  // A button that moves the window, and does so by itself when it comes into view.
  edge(text, by) {
    const button = element("button", { type: "button", className: "edge", text });
    button.addEventListener("click", () => this.move(by));
    this.sight.observe(button);
    button.by = by;
    return button;
  }

  // What is in view stays where it is.
  async move(by) {
    if (this.moving) return;
    this.moving = true;
    const top = this.into.getBoundingClientRect().top;
    const place = (node) => node.getBoundingClientRect().top;
    const anchor = this.texts.find(({ node }) => place(node) >= top) ?? this.texts.at(-1);
    const was = anchor && place(anchor.node);
    await this.window(this.from + by);
    const now = this.texts.find(({ node, text }) => anchor && node.dataset.entry === anchor.node.dataset.entry && text === anchor.text);
    if (now) this.into.scrollTop += place(now.node) - was;
    this.moving = false;
  }

  // Puts the buttons under the shown messages, which are the last of the entries if the end is shown; false if they are
  // others.
  label(entries, canBranch) {
    if (this.hasEnd) this.to = entries.length;
    this.next = { ...this.next, all: entries };
    const stored = textsOf(entries.slice(this.from, this.to));
    if (stored.length !== this.texts.length) return false;
    if (stored.some(({ role, text }, i) => role !== this.texts[i].role || text !== this.texts[i].text)) return false;
    this.readSummaries(entries);
    const focus = this.focused;
    let asked = null; // the message of the user that is answered
    this.change(() => stored.forEach(({ entry, role }, i) => {
      if (role === "user") asked = entry;
      const { node, row: before } = this.texts[i];
      const row = element("div", { className: `actions of-${role}`, children: this.buttons(entries, stored, i, canBranch ? asked : null) });
      node.dataset.entry = entry.id;
      if (before?.isEqualNode(row)) return; // it does the same
      before?.remove();
      this.texts[i].row = row;
      node.after(row);
    }));
    if (focus?.entry) this.focus(focus);
    return true;
  }

  // The notes of the turn that ended get the summaries, which are the last of the stored ones, and their place: a compaction may come
  // before the message that is answered.
  readSummaries(entries) {
    const stored = entries.filter(({ type }) => type === "compaction").reverse();
    this.unread.splice(0).reverse().forEach((note, n) => {
      if (!stored[n]) return;
      this.summary(note, stored[n], entries);
      const next = this.texts[textsOf(entries.slice(this.from, entries.indexOf(stored[n]))).length];
      if (next?.role === "user") this.change(() => next.node.before(note));
    });
  }

  // The buttons of the `i`th of the stored texts; `asked` is the message that it answers, if that can be answered again.
  buttons(entries, stored, i, asked) {
    const { entry, role } = stored[i];
    const next = stored[i + 1];
    const made = [this.branches(entry, stored[i - 1]?.entry === entry ? null : entry.branches), this.copy(this.texts[i])];
    if (asked && role === "user" && next?.entry !== entry)
      made.push(...this.taking(entries, entry), iconButton("edit", "Edit and send again", () => this.act.edit(entry, entries[entries.indexOf(entry) - 1]?.id ?? "")));
    if (asked && (next === undefined || next.role === "user")) made.push(iconButton("again", "Answer again", () => this.act.again(asked.id)));
    if (next === undefined && this.hasEnd && role === "assistant" && (entry.interrupted || entry.failed))
      made.push(iconButton("more", "Continue this answer", () => this.act.more()));
    return made.filter(Boolean);
  }

  // The time of a message of the user, and the button that takes it back with all that follows. The first message has nothing
  // before it to which one could go back.
  taking(entries, entry) {
    const { short, long } = momentOf(entry.timestamp);
    const before = entries[entries.indexOf(entry) - 1];
    const made = [element("span", { className: "time", text: short, title: long })];
    if (before) made.push(iconButton("back", "Take back from here", () => this.act.takeBack(before.id)));
    return made;
  }

  // Scrolls to the message of an entry and marks the found words; false if it is not shown.
  reveal({ entry, match }) {
    const found = this.texts.filter(({ node }) => node.dataset.entry === entry);
    const said = found.find(({ text }) => match && text.includes(match)) ?? found[0];
    if (!said) return false;
    said.node.scrollIntoView({ block: "center" });
    if (!match || !window.Highlight) return true;
    const words = document.createTreeWalker(said.node, NodeFilter.SHOW_TEXT);
    for (let node = words.nextNode(); node; node = words.nextNode()) {
      const at = node.data.indexOf(match);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + match.length);
      CSS.highlights.set("hit", new Highlight(range));
      const place = range.getBoundingClientRect();
      this.into.scrollBy(0, place.top - this.into.getBoundingClientRect().top - this.into.clientHeight / 2);
      break;
    }
    return true;
  }

  copy(said) {
    const button = iconButton("copy", "Copy this message", async () => {
      await copyText(said.text);
      showCopied(button);
    });
    return button;
  }

  branches(entry, branches) {
    if (!branches) return null;
    const at = branches.indexOf(entry.id);
    const to = (name, label, n) => {
      const button = iconButton(name, label, () => this.act.go(branches[n]));
      button.disabled = branches[n] === undefined;
      return button;
    };
    return element("span", { className: "branches", children: [to("previous", "Previous version", at - 1),
      element("span", { text: `${at + 1} of ${branches.length}` }), to("next", "Next version", at + 1)] });
  }

  // Removes the message of this entry, and all that follows; or only what follows.
  cut(entry, { keep = false } = {}) {
    const first = this.texts.findIndex(({ node }) => node.dataset.entry === entry);
    if (first < 0) return;
    this.close();
    const from = this.texts.findIndex(({ node }, i) => i >= first && (!keep || node.dataset.entry !== entry));
    const last = keep ? this.texts[(from < 0 ? this.texts.length : from) - 1] : null;
    const edge = keep ? last.row ?? last.node : this.texts[first].node.previousSibling;
    while (edge ? edge.nextSibling : this.into.firstChild) this.into.lastChild.remove();
    this.texts.length = keep ? this.texts.indexOf(last) + 1 : first;
  }

  answer(part) {
    const node = this.message("assistant", part.text);
    this.whileBusy(fill(node, part.text, part, (action) => this.change(action)));
  }

  entry(entry, all) {
    if (entry.type === "compaction") return this.compaction(entry, all);
    for (const part of entry.content) this.part(entry.role, part);
    if (entry.interrupted) this.ended(ends.interrupted);
    if (entry.failed) this.ended(ends.failed);
    this.close();
  }

  part(role, part) {
    switch (part.type) {
      case "text": return role === "user" ? this.user(part.text) : this.answer(part);
      case "thinking": return part.text && this.write("thinking", part.text);
      case "image": return role === "user" ? this.message("user", part.url, [image(part.url)])
        : this.add(element("div", { className: "message", children: [image(part.url)] }));
      case "tool_call": return this.call(part);
      case "tool_result": return this.result(part);
    }
  }

  // Shows an event of a running turn.
  news(event) {
    this.wait?.remove();
    switch (event.type) {
      case "text_delta": return this.write("text", event.text);
      case "thinking_delta": return this.write("thinking", event.text);
      case "tool_call": return this.call(event.tool_call);
      case "tool_result": return this.result(event);
      case "retry": return this.waiting(`${event.why}; asking again`);
      case "compaction": return event.outcome === "applied" && this.compaction();
      case "done":
        this.close();
        return event.end in ends && this.ended(ends[event.end]);
    }
  }
}
