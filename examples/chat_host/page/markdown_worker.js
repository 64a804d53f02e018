// SPDX-License-Identifier: MIT
// Parses Markdown beside the page, so that no text can block it.
import { canParse, parse } from "./markdown.js";

let highlighter; // loaded for the first block of code

// The highlighter's HTML as nodes: spans of its classes, and text. Null if it is anything else.
function nodesOf(html, text) {
  const root = [];
  const open = [root];
  let seen = "";
  for (const [piece, names, entity] of html.matchAll(/<span class="([\w -]+)">|&(amp|lt|gt|quot|#x27);|<\/span>|[^<&]+|[<&]/g)) {
    if (names) {
      const made = ["span", { className: names }];
      open.at(-1).push(made);
      open.push(made);
    } else if (piece === "</span>") {
      open.pop();
      if (open.length === 0) return null;
    } else {
      const words = entity ? { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" }[entity] : piece;
      seen += words;
      if (typeof open.at(-1).at(-1) === "string" && open.at(-1).length > (open.length > 1 ? 2 : 0)) open.at(-1).push(open.at(-1).pop() + words);
      else open.at(-1).push(words);
    }
  }
  return seen === text ? root : null;
}

function highlighted(language, text) {
  if (!highlighter?.getLanguage(language)) return null;
  const modern = Number(highlighter.versionString?.split(".")[0] ?? 0) >= 11;
  const { value } = modern ? highlighter.highlight(text, { language, ignoreIllegals: true }) : highlighter.highlight(language, text, true);
  return nodesOf(value, text);
}

// A growing block is colored again when it is half as long again; until then its new lines have no color. So the cost is
// proportional to its length.
let last = { language: "", text: "", nodes: null };
function color(language, text, grows) {
  const grown = last.language === language && last.text !== "" && text.startsWith(last.text);
  if (!grows && last.text === text && last.language === language) return last.nodes;
  if (!grows || !grown || text.length > last.text.length * 1.5) last = { language, text, nodes: highlighted(language, text) };
  return last.nodes && [...last.nodes, ...(text.length > last.text.length ? [text.slice(last.text.length)] : [])];
}

async function answer({ source, open, references }) {
  if (highlighter === undefined && /```|~~~/.test(source)) {
    self.postMessage("loading");
    highlighter = (await import("./highlight.js").catch(() => ({ default: null }))).default;
    self.postMessage("loaded");
  }
  return parse(source, { open, references, color });
}

self.addEventListener("message", async ({ data }) => self.postMessage(await answer(data).catch(() => null)));
self.postMessage(canParse);
