// SPDX-License-Identifier: MIT
// Shows Markdown. A worker makes trees of it, and here they become nodes, made one by one: text stays text.
import { element, iconButton } from "./nodes.js";

const patience = 5000; // milliseconds for one text; a longer one is shown as it is
const startPatience = 60000; // to load the parser

// Parses one text after the other.
class Parser {
  constructor() {
    this.before = Promise.resolve();
    this.start();
  }

  start() {
    this.worker = new Worker("markdown_worker.js", { type: "module" });
    this.isReady = false;
    this.ready = this.reply(startPatience).then((can) => (this.isReady = can)); // true if there is a parser
  }

  // What `parse` of markdown.js returns; null if the text is shown as it is.
  parse(job) {
    this.before = this.before.then(() => this.ask(job));
    return this.before;
  }

  async ask(job) {
    if (!await this.ready) return null;
    this.worker.postMessage(job);
    const parsed = await this.reply(patience);
    if (!parsed) {
      this.worker.terminate();
      this.start();
    }
    return parsed;
  }

  // The next answer of the worker; null if none comes in time. Loading the highlighter has a time of its own.
  reply(milliseconds) {
    const { worker } = this;
    let timer;
    return new Promise((resolve) => {
      const end = (result) => {
        clearTimeout(timer);
        worker.onmessage = worker.onerror = null;
        resolve(result);
      };
      const wait = (time) => {
        clearTimeout(timer);
        timer = setTimeout(() => end(null), time);
      };
      wait(milliseconds);
      worker.onmessage = ({ data }) => {
        if (data === "loading") wait(startPatience);
        else if (data === "loaded") wait(milliseconds);
        else end(data);
      };
      worker.onerror = (problem) => { problem.preventDefault(); end(null); };
    });
  }
}
const parser = new Parser();

// A promise of what `parse` of markdown.js returns.
export const parse = (source) => parser.parse({ source, open: false });

function codeBlock(language, children) {
  const copy = iconButton("copy", "Copy this code", null, "copy icon");
  const text = element("pre", { tabIndex: 0, children: [element("code", { children })] });
  text.setAttribute("role", "group");
  text.setAttribute("aria-label", language === "formula" ? "Formula" : `Code${language ? ` in ${language}` : ""}`);
  return element("div", { className: "code", children: [element("div", { className: "bar", children: [
    element("span", { text: language }), copy] }), text] });
}

function made(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const [name, attributes, ...rest] = node;
  const children = rest.map(made);
  if (attributes?.className === "code") return codeBlock(attributes.lang, children);
  const result = element(name, { ...attributes, children });
  if (name === "a") Object.assign(result, { target: "_blank", rel: "noopener noreferrer" });
  if (attributes?.className === "table") {
    result.tabIndex = 0;
    result.setAttribute("role", "group");
    result.setAttribute("aria-label", "Table");
  }
  return result;
}

const alike = (one, other) => one.nodeName === other.nodeName && one.className === other.className
  && one.getAttribute("href") === other.getAttribute("href");

// Makes the children of `into` from the `from`th on like `fresh`, and touches only what differs: a selection stays, and
// nothing flickers.
function morph(into, from, fresh) {
  fresh.forEach((node, i) => {
    const old = into.childNodes[from + i];
    if (!old) into.append(node);
    else if (old.isEqualNode(node)) return;
    else if (old.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) {
      if (node.data.startsWith(old.data)) old.appendData(node.data.slice(old.data.length));
      else old.data = node.data;
    } else if (old.nodeType === Node.ELEMENT_NODE && node.nodeType === Node.ELEMENT_NODE && alike(old, node)) morph(old, 0, [...node.childNodes]);
    else old.replaceWith(node);
  });
  while (into.childNodes.length > from + fresh.length) into.lastChild.remove();
}

// What `parse` returned for `source`, from the `from`th node on.
function show(into, source, parsed, from = 0) {
  into.classList.toggle("plain", !parsed);
  morph(into, from, parsed ? parsed.blocks.map(made) : [document.createTextNode(source)]);
}

// Shows a whole text: what `parse` returned for it; or as it is, until `parsed` has that. `change(action)` is called to
// change the view.
export async function fill(into, source, { tree, parsed }, change) {
  show(into, source, tree);
  if (tree !== undefined) return;
  const late = await parsed;
  if (late) change(() => show(into, source, late));
}

const frame = () => new Promise((resolve) => {
  const timer = setTimeout(resolve, 100); // a page in the background has no frames
  requestAnimationFrame(() => { clearTimeout(timer); resolve(); });
});

// A text that arrives in pieces.
export class Streamed {
  constructor(into, change) {
    Object.assign(this, { into, change, source: "", over: false, drawn: null });
    Object.assign(this, { settled: 0, blocks: 0, references: {} }); // what will not change: characters, nodes
  }

  append(piece) {
    this.source += piece;
    this.changed = true;
    this.drawn ??= this.draw();
  }

  // Resolves when all of it is shown.
  finish() {
    this.over = true;
    this.changed = true;
    return this.drawn ??= this.draw();
  }

  async draw() {
    while (this.changed) {
      if (!this.over) await frame();
      this.changed = false;
      await this.drawOnce();
    }
    this.drawn = null;
  }

  async drawOnce() {
    const { over, source } = this;
    if (!parser.isReady && !this.waits) this.waits = parser.ready.then(() => this.append(""));
    if (!parser.isReady) this.change(() => show(this.into, source, null));
    if (!parser.isReady && !over) return undefined;
    const parsed = this.plain ? null : await parser.parse({ source: source.slice(this.settled), open: !over, references: this.references });
    this.plain = !parsed;
    if (over && this.settled > 0 && Object.keys(parsed?.references ?? {}).length > 0) { // a link may be defined after its use
      Object.assign(this, { settled: 0, blocks: 0, references: {} });
      return this.drawOnce();
    }
    this.change(() => show(this.into, source, parsed, parsed ? this.blocks : 0));
    if (this.plain) return undefined;
    this.references = parsed.references;
    if (over || parsed.settled === 0) return undefined;
    this.settled += parsed.settled;
    this.blocks += parsed.blocks.length - 1;
    return undefined;
  }
}
