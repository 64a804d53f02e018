// SPDX-License-Identifier: MIT
// Where the focus is and where it goes, for a user without a mouse.
const $ = (id) => document.getElementById(id);

// The control that had the focus, if the page shows that it has it.
let focused = null;
document.addEventListener("focusin", ({ target }) => { focused = target.matches(":focus-visible") ? target : null; });
document.addEventListener("pointerdown", () => { focused = null; });

// Whether the user works by keyboard.
export const seesFocus = () => focused !== null;

// If the control that had the focus is gone or hidden, the user continues at `next`.
export function keepFocus(next = $("message")) {
  if (focused && !focused.checkVisibility({ visibilityProperty: true })) next.focus();
}

// The arrows lead from the search field through the list.
export function moveThroughList(event) {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const stops = [$("search"), ...document.querySelectorAll("#sessions button")];
  const at = stops.indexOf(event.target);
  if (!by || at < 0) return;
  event.preventDefault();
  stops[at + by]?.focus();
}

// Leads to the next part of the page, or the one before: the list, the head, the conversation, the message.
export function toPart(by) {
  const head = document.querySelector("main > header");
  const parts = [[$("sidebar"), document.querySelector("#sessions [aria-current='true']") ?? $("search")],
    [head, [...head.querySelectorAll("button")].find((each) => each.checkVisibility())], [$("talk"), $("talk")], [$("say"), $("message")]]
    .filter(([, stop]) => stop.checkVisibility({ visibilityProperty: true }));
  const { activeElement } = document;
  const at = parts.findLastIndex(([part]) => part.contains(activeElement) || part.compareDocumentPosition(activeElement) & Node.DOCUMENT_POSITION_FOLLOWING);
  parts.at((Math.max(at, by < 0 ? 0 : -1) + by) % parts.length)[1].focus();
}
