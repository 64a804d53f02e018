// SPDX-License-Identifier: MIT
// Markdown as a tree for the page: a node is a text or [element, attributes or null, ...nodes]. Pure; the page runs it in
// a worker. Only the elements and attributes that this file names can be in a tree.
import markdownit from "./markdown-it.js";

const longestColored = 60000; // characters of a block of code
const deepest = 60; // elements in each other; what is deeper has no element of its own
const elements = new Set(["p", "ul", "ol", "li", "blockquote", "hr", "thead", "tbody", "tr", "strong", "em", "s"]);
const closings = { "\\(": "\\)", "\\[": "\\]", $$: "$$", $: "$" };

// A formula is shown as its source: \(a\), \[a\], $$a$$, and $a$ where it cannot be an amount of money.
function formula(state, silent) {
  const { src, pos } = state;
  const open = Object.keys(closings).find((each) => src.startsWith(each, pos));
  if (!open) return false;
  state.unclosed ??= new Set(); // no search for what has no end is made twice: there may be thousands
  if (state.unclosed.has(open)) return false;
  const end = src.indexOf(closings[open], pos + open.length);
  if (end < 0) {
    state.unclosed.add(open);
    return false;
  }
  const content = src.slice(pos + open.length, end);
  if (content.trim() === "" || (open === "$" && /^\s|\s$/.test(content))) return false;
  if (open === "$" && /\d/.test(src[end + 1] ?? "")) return false;
  state.pos = end + open.length;
  if (!silent) state.push("formula", "", 0).content = src.slice(pos, state.pos);
  return true;
}

function formulaBlock(state, first, last, silent) {
  const line = (n) => state.src.slice(state.bMarks[n] + state.tShift[n], state.eMarks[n]).trim();
  const open = ["$$", "\\["].find((each) => line(first).startsWith(each));
  if (!open || state.sCount[first] - state.blkIndent > 3) return false;
  const close = closings[open];
  if (line(first).slice(open.length).includes(close) && !line(first).slice(open.length).endsWith(close)) return false;
  const search = `${close} ${last}`;
  state.unclosed ??= new Set();
  if (state.unclosed.has(search)) return false;
  for (let n = first; n < last; ++n) {
    const text = n === first ? line(n).slice(open.length) : line(n);
    if (!text.endsWith(close)) continue;
    if (silent) return true;
    state.line = n + 1;
    const made = state.push("formula_block", "", 0);
    made.content = state.getLines(first, n + 1, state.blkIndent, false).trim();
    made.map = [first, n + 1];
    return true;
  }
  state.unclosed.add(search);
  return false;
}

function makeParser() {
  const parser = markdownit({ html: false, linkify: true });
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false }); // "page.md" is a file
  parser.inline.ruler.before("escape", "formula", formula);
  parser.block.ruler.before("fence", "formula", formulaBlock, { alt: ["paragraph", "reference", "blockquote", "list"] });
  return parser;
}
const parser = markdownit && makeParser();
export const canParse = parser !== null;

export function isSafe(address) {
  try {
    return ["http:", "https:", "mailto:"].includes(new URL(address).protocol);
  } catch { return false; } // a relative address would lead into this page
}

const attribute = (token, name) => token.attrs?.find(([each]) => each === name)?.[1];

function picture(token) {
  const address = attribute(token, "src") ?? "";
  if (/^data:image\/(png|gif|jpeg|webp);/.test(address)) return ["img", { src: address, alt: token.content || "image" }];
  // Pictures of other servers are not fetched: that would reveal the reader to them.
  const words = `[image${token.content ? `: ${token.content}` : ""}]`;
  return isSafe(address) ? ["a", { href: address }, words] : words;
}

function opened(token) {
  if (token.hidden) return null;
  const { tag } = token;
  if (/^h[1-6]$/.test(tag)) return ["h2", { className: `level-${tag[1]}` }]; // the page has h1, and no level may be left out
  if (tag === "ol") return ["ol", attribute(token, "start") ? { start: Number(attribute(token, "start")) } : null];
  if (tag === "th" || tag === "td") {
    const side = /text-align:(left|center|right)/.exec(attribute(token, "style") ?? "")?.[1];
    return [tag, side ? { className: side } : null];
  }
  if (tag === "a") return isSafe(attribute(token, "href")) ? ["a", { href: attribute(token, "href") }] : null;
  return elements.has(tag) ? [tag, null] : null;
}

const code = (language, text, color) => ["div", { className: "code", lang: language }, ...(color ?? [text])];

function leaf(token, color) {
  switch (token.type) {
    case "text": return token.content;
    case "softbreak": return "\n";
    case "hardbreak": return ["br", null];
    case "code_inline": return ["code", null, token.content];
    case "formula": return ["code", { className: "formula" }, token.content];
    case "formula_block": return code("formula", token.content);
    case "image": return picture(token);
    case "fence": {
      const language = token.info.trim().split(/[\s{,]/)[0].slice(0, 30);
      const text = token.content.replace(/\n$/, "");
      return code(language, text, text.length <= longestColored ? color(language, text, token.map[1]) : null);
    }
    case "code_block": return code("", token.content.replace(/\n$/, ""));
    case "hr": return ["hr", null];
    default: return token.content;
  }
}

// Adds the nodes of tokens to `into`.
function grow(tokens, into, color) {
  const open = [into];
  for (const token of tokens) {
    if (token.nesting === 1) {
      const made = open.length > deepest ? null : token.type === "table_open" ? ["table", null] : opened(token);
      if (made) open.at(-1).push(made.at(0) === "table" ? ["div", { className: "table" }, made] : made);
      open.push(made ?? open.at(-1));
    } else if (token.nesting === -1) {
      open.pop();
    } else if (token.type === "inline") {
      grow(token.children, open.at(-1), color);
    } else {
      open.at(-1).push(leaf(token, color));
    }
  }
  return into;
}

// The end of a text that is not whole yet, without what would be shown as something else until more arrives.
export function completed(text) {
  const lines = text.split("\n");
  if (/^[\s>]*([-=*_#|`~+$\\]+|\d+[.)]?)[\s\-=:|]*$/.test(lines.at(-1))) lines.pop(); // a rule, a heading, a fence or an item?
  const begin = lines.findLastIndex((line) => line.trim() === "") + 1;
  const fences = lines.filter((line) => /^\s*(```|~~~)/.test(line)).length;
  if (fences % 2 === 1) return lines.join("\n");
  if (/^\s*\|/.test(lines[begin] ?? "") && lines.length - begin < 2) return lines.slice(0, begin).join("\n"); // a table?
  let last = lines.slice(begin).join("\n").replace(/!?\[[^\][]*(\]\([^()\s]*)?$/, "").replace(/https?:\/\/\S*$/, "").replace(/[*_~]+$/, "");
  const ticks = last.match(/`+/g) ?? [];
  if (ticks.length % 2 === 1) last = last.endsWith(ticks.at(-1)) ? last.slice(0, -ticks.at(-1).length) : last + ticks.at(-1);
  else if ((last.replace(/`[^`]*`/g, "").match(/\*\*/g) ?? []).length % 2 === 1) last += "**";
  return [...lines.slice(0, begin), last].join("\n");
}

// The blocks of `source`, one node each. Of a text that is not whole (`open`), all blocks but the last stay as they are:
// `settled` is where the last one begins. `references` are the link definitions before this text; the result has those
// of the settled blocks too.
// Null if there is no parser. `color(language, text, grows)` makes nodes of code, or null; code that grows may not be whole.
export function parse(source, { open = false, references = {}, color = () => null } = {}) {
  if (!parser) return null;
  const env = { references: { ...references } };
  const text = open ? completed(source) : source;
  const tokens = parser.parse(text, env);
  const starts = tokens.filter((token) => token.level === 0 && token.nesting !== -1).map((token) => token.map?.[0] ?? 0);
  const line = starts.length > 1 ? starts.at(-1) : 0;
  let settled = 0;
  for (let n = 0; n < line; ++n) settled = text.indexOf("\n", settled) + 1;
  const known = { references: { ...references } }; // the last definition may not be whole
  if (text.includes("]:")) parser.parse(open ? text.slice(0, settled) : text, known);
  const lines = text.replace(/\n$/, "").split("\n").length;
  const blocks = grow(tokens, [], (language, code_, end) => color(language, code_, open && end === lines));
  return { blocks, settled, references: known.references };
}
