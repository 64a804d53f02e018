// SPDX-License-Identifier: MIT
// The channel logs, for the administrator.
import * as api from "./api.js";
import { element } from "./talk.js";

export class Channels {
  // `attempt` runs an action that may fail; `named(name)` is called with the name of the shown log; `signal` ends it.
  constructor(into, { admin, attempt, named, signal }) {
    Object.assign(this, { into, admin, attempt, named, signal });
  }

  button(text, act) {
    const made = element("button", { type: "button", text });
    made.addEventListener("click", () => this.attempt(act));
    return element("p", { children: [made] });
  }

  async list() {
    const { channels } = await api.channels(this.admin, this.signal);
    this.named("Channel logs");
    const rows = channels.map(({ channelId: name }) => this.button(name, () => this.open(name)));
    this.into.replaceChildren(...(rows.length ? rows : [element("p", { text: "There are no channel messages yet." })]));
  }

  async open(name, { from = "", sender = "" } = {}) {
    const page = await api.channel(this.admin, name, { from, sender }, this.signal);
    this.named(name);
    const rows = page.messages.map((message) => element("tr", { children:
      [new Date(message.ts).toLocaleString(), message.sender ?? message.role, message.content].map((text) => element("td", { text })) }));
    this.into.replaceChildren(this.button("All channels", () => this.list()), this.filter(name, sender),
      element("table", { children: [element("tbody", { children: rows })] }));
    if (page.next !== null && rows.length > 0)
      this.into.append(this.button("Older", () => this.open(name, { from: page.next, sender })));
  }

  filter(name, sender) {
    const field = element("input", { type: "search", id: "sender", placeholder: "Only messages of this sender", value: sender, autocomplete: "off" });
    const form = element("form", { children: [field] });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.attempt(() => this.open(name, { sender: field.value.trim() }));
    });
    return form;
  }
}
