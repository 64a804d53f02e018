// SPDX-License-Identifier: MIT
// A conversation as it looks. What was said is a stranger's: it becomes text, never markup.

export function element(name, { text, children = [], ...properties } = {}) {
  const made = Object.assign(document.createElement(name), properties);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

const pretty = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

function folded(summary, text, className = "") {
  return element("details", { className, children: [element("summary", { text: summary }), element("pre", { text })] });
}

function image(url) {
  // Pictures of other servers are not fetched: that would tell them who reads.
  return url.startsWith("data:image/") ? element("img", { src: url, alt: "image" }) : element("span", { text: `[image ${url}]` });
}

export class Talk {
  constructor(into) {
    this.into = into;
    this.clear();
  }

  clear() {
    this.into.replaceChildren();
    this.calls = new Map();
    this.open = null; // the message that is being written
  }

  add(node) {
    const atEnd = this.into.scrollHeight - this.into.scrollTop - this.into.clientHeight < 80;
    this.into.append(node);
    if (atEnd) this.into.scrollTop = this.into.scrollHeight;
    return node;
  }

  user(text) {
    this.open = null;
    return this.add(element("div", { className: "message user", text }));
  }

  call({ id, name, input }) {
    this.open = null;
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
    this.open = null;
    this.add(folded("Earlier messages were summarised for the model", summary, "mark compaction"));
  }

  cut() {
    this.open = null;
    this.add(element("div", { className: "cut", text: "interrupted" }));
  }

  // More of the answer. One node is written on, so that a long answer stays cheap.
  text(piece) {
    this.open ??= this.add(element("div", { className: "message assistant", children: [document.createTextNode("")] }));
    const atEnd = this.into.scrollHeight - this.into.scrollTop - this.into.clientHeight < 80;
    this.open.firstChild.appendData(piece);
    if (atEnd) this.into.scrollTop = this.into.scrollHeight;
  }

  entry(entry) {
    if (entry.type === "compaction") return this.compaction(entry.summary);
    for (const part of entry.content) this.part(entry.role, part);
    if (entry.interrupted) this.cut();
    this.open = null;
  }

  part(role, part) {
    switch (part.type) {
      case "text": return role === "user" ? this.user(part.text) : this.text(part.text);
      case "thinking": return part.text && this.add(folded("thought", part.text, "mark"));
      case "image": return this.add(element("div", { className: "message user", children: [image(part.url)] }));
      case "tool_call": return this.call(part);
      case "tool_result": return this.result(part);
    }
  }

  // What a turn tells while it runs.
  news(event) {
    switch (event.type) {
      case "text_delta": return this.text(event.text);
      case "tool_call": return this.call(event.tool_call);
      case "tool_result": return this.result(event);
      case "done": return event.end === "interrupted" && this.cut();
    }
  }
}
