// SPDX-License-Identifier: MIT
// Makes nodes of the document. Words become text, never markup.

export function element(name, { text, children = [], ...properties } = {}) {
  const made = Object.assign(document.createElement(name), properties);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

const shapes = {
  copy: "M5 5V2h9v9h-3M2 5h9v9H2z",
  done: "M2 8l4 4 8-9",
};

// A drawing of 16 by 16, in the color of the text around it.
export function icon(name) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  made.setAttribute("viewBox", "0 0 16 16");
  made.setAttribute("aria-hidden", "true");
  path.setAttribute("d", shapes[name]);
  made.append(path);
  return made;
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
