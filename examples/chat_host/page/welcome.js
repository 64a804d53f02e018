// SPDX-License-Identifier: MIT
// What a new conversation shows before its first message.
import { element } from "./nodes.js";

const examples = [
  ["Explain", "Explain how a write-ahead log survives a crash, with a small example in C++."],
  ["Compare", "Compare JSON Lines, SQLite and PostgreSQL for storing conversations, as a table."],
  ["Find", "What is in config.json?"],
];

// `chosen(text)` is called for an example that is clicked.
export function welcome(chosen) {
  const buttons = examples.map(([name, text]) => {
    const button = element("button", { type: "button", children: [element("strong", { text: name }), element("span", { text })] });
    button.addEventListener("click", () => chosen(text));
    return button;
  });
  return [element("div", { className: "welcome", children: [element("h2", { text: "What would you like to know?" }),
    element("p", { text: "Each message and each complete answer is stored at once. It is still there after a crash of this page or of the server." }),
    ...buttons] })];
}
