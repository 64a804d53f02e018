// SPDX-License-Identifier: MIT
// Makes nodes of the document. Words become text, never markup.

export function element(name, { text, children = [], ...properties } = {}) {
  const made = Object.assign(document.createElement(name), properties);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

const shapes = {
  remove: "M4 4l8 8M12 4l-8 8",
  attach: "M13 7l-6 6a3 3 0 0 1-4-4l7-7a2 2 0 0 1 3 3l-6 6a1 1 0 0 1-2-2l5-5",
  info: "M8 1.5a6.500 6.500 0 1 0 .01 0M8 7v5M8 4.500v.5",
  copy: "M5 5V2h9v9h-3M2 5h9v9H2z",
  done: "M2 8l4 4 8-9",
  edit: "M3 13l1-3 7-7 2 2-7 7zM10 4l2 2",
  back: "M6 3L2 7l4 4M2 7h8a4 4 0 0 1 0 8H8",
  again: "M13 8a5 5 0 1 1-2-4M13 1v4H9",
  more: "M3 8h9M8 4l4 4-4 4",
  previous: "M10 3L5 8l5 5",
  next: "M6 3l5 5-5 5",
};

const drawn = new Map();

// A drawing of 16 by 16, in the color of the text around it.
export function icon(name) {
  if (!drawn.has(name)) drawn.set(name, draw(name));
  return drawn.get(name).cloneNode(true);
}

function draw(name) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  made.setAttribute("viewBox", "0 0 16 16");
  made.setAttribute("aria-hidden", "true");
  path.setAttribute("d", shapes[name]);
  made.append(path);
  return made;
}

// A button that is a drawing; `label` names it.
export function iconButton(name, label, act, className = "icon") {
  const made = element("button", { type: "button", className, title: label, children: [icon(name)] });
  made.setAttribute("aria-label", label);
  if (act) made.addEventListener("click", () => act(made));
  return made;
}

// Says something that is only seen, for those who hear the page.
export function announce(words) {
  document.getElementById("news").textContent = words;
}

// Shows for a moment that a button has copied something.
export function showCopied(button) {
  announce("Copied.");
  button.replaceChildren(icon("done"));
  setTimeout(() => button.replaceChildren(icon("copy")), 2000);
}

export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = element("textarea", { value: text }); // a page that is not from this machine
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  return undefined;
}
