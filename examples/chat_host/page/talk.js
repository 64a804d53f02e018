// SPDX-License-Identifier: MIT
// Shows a conversation. Its content is untrusted: it becomes text, or the nodes that Markdown may have, never markup.
import { element } from "./nodes.js";
import { Streamed, fill, parse } from "./rich.js";

const patience = 200; // milliseconds until stored texts are shown as they are, to be parsed later
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const pretty = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

function folded(summary, text, className = "") {
  return element("details", { className, children: [element("summary", { text: summary }), element("pre", { children: [text] })] });
}

const ends = { interrupted: "interrupted", failed: "failed", too_long: "stopped: too many steps" };

function image(url) {
  // Pictures of other servers are not fetched: that would reveal the reader to them.
  return url.startsWith("data:image/") ? element("img", { src: url, alt: "image" }) : element("span", { text: `[image ${url}]` });
}

export class Talk {
  constructor(into) {
    this.into = into;
    this.changing = false; // several changes are made at once
    this.drawing = 0; // how many texts are to be parsed yet
    this.clear();
  }

  clear() {
    this.into.replaceChildren();
    this.calls = new Map();
    this.open = null; // the open node: a message or a thought
    this.wait = null; // the note that a request is tried again
  }

  close() {
    if (this.open?.kind === "text") this.whileBusy(this.open.stream.finish());
    this.open = null;
  }

  async whileBusy(drawn) {
    this.into.setAttribute("aria-busy", "true");
    ++this.drawing;
    await drawn;
    if (--this.drawing === 0) this.into.removeAttribute("aria-busy");
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
    return this.add(element("div", { className: "message user", text }));
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

  compaction(summary) {
    this.add(folded("Earlier messages were summarised for the model", summary, "mark compaction"));
  }

  // The note on how an answer ended, unless it was complete.
  cut(words) {
    this.add(element("div", { className: "cut", text: words }));
  }

  waiting(words) {
    this.wait = this.add(element("div", { className: "cut", text: words }));
  }

  // Adds text to the answer or to a thought. It extends one node, so that a long answer stays cheap.
  write(kind, piece) {
    if (this.open?.kind !== kind) this.begin(kind);
    if (kind === "text") this.open.stream.append(piece);
    else this.change(() => this.open.text.appendData(piece));
  }

  begin(kind) {
    if (kind === "text") {
      const node = this.add(element("div", { className: "message assistant" }));
      this.open = { kind, stream: new Streamed(node, (action) => this.change(action)) };
    } else {
      const text = document.createTextNode("");
      this.add(folded("thought", text, "mark"));
      this.open = { kind, text };
    }
  }

  // Shows these stored entries and nothing else.
  async entries(entries, signal) {
    const parts = entries.flatMap(({ role, content }) => (role === "assistant" ? content.filter((part) => part.type === "text") : []));
    for (const part of parts) part.parsed = parse(part.text).then((tree) => (part.tree = tree));
    await Promise.race([Promise.all(parts.map((part) => part.parsed)), pause(patience)]);
    if (signal.aborted) return;
    this.clear();
    this.change(() => {
      this.changing = true;
      for (const entry of entries) this.entry(entry);
      this.changing = false;
    });
  }

  answer(part) {
    const node = this.add(element("div", { className: "message assistant" }));
    this.whileBusy(fill(node, part.text, part, (action) => this.change(action)));
  }

  entry(entry) {
    if (entry.type === "compaction") return this.compaction(entry.summary);
    for (const part of entry.content) this.part(entry.role, part);
    if (entry.interrupted) this.cut(ends.interrupted);
    if (entry.failed) this.cut(ends.failed);
    this.close();
  }

  part(role, part) {
    switch (part.type) {
      case "text": return role === "user" ? this.user(part.text) : this.answer(part);
      case "thinking": return part.text && this.write("thinking", part.text);
      case "image": return this.add(element("div", { className: "message user", children: [image(part.url)] }));
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
      case "compaction": return event.outcome === "applied" && this.compaction("Open the conversation again to read the summary.");
      case "done":
        this.close();
        return event.end in ends && this.cut(ends[event.end]);
    }
  }
}
