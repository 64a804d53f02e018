// SPDX-License-Identifier: MIT
// The channel logs, for the administrator.
import * as api from "./api.js";
import { element } from "./nodes.js";

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

  // All channels of all agents, or those of one agent (ZyHive's member) or one type.
  async list({ agent = "", type = "" } = {}) {
    const { channels } = await api.channels(this.admin, this.signal);
    this.named("Channel logs");
    const shown = channels.filter((row) => (agent === "" || row.agentId === agent) && (type === "" || row.channelType === type));
    const choice = (label, member, chosen, act) => {
      const values = [...new Set(channels.map((row) => row[member]))].sort();
      const options = ["", ...values].map((value) => element("option", { value, text: value || `All ${label}` }));
      const field = element("select", { name: member, children: options });
      field.value = chosen;
      field.addEventListener("change", () => this.attempt(() => act(field.value)));
      return field;
    };
    const choices = element("form", { children: [
      choice("agents", "agentId", agent, (value) => this.list({ agent: value, type })),
      choice("channels", "channelType", type, (value) => this.list({ agent, type: value }))] });
    const rows = shown.map(({ agentId, channelId, messageCount, lastAt }) => element("tr", { children: [
      element("td", { text: agentId }), element("td", { children: [this.button(channelId, () => this.open(agentId, channelId))] }),
      element("td", { text: `${messageCount}` }), element("td", { text: new Date(lastAt).toLocaleString() })] }));
    this.into.replaceChildren(...(channels.length
      ? [choices, element("table", { children: [element("tbody", { children: rows })] })]
      : [element("p", { text: "There are no channel messages yet." })]));
  }

  async open(agent, name, { from = "", sender = "" } = {}) {
    const page = await api.channel(this.admin, agent, name, { from, sender }, this.signal);
    this.named(`${agent}: ${name}`);
    const rows = page.messages.map((message) => element("tr", { children:
      [new Date(message.ts).toLocaleString(), message.sender ?? message.role, message.content].map((text) => element("td", { text })) }));
    this.into.replaceChildren(this.button("All channels", () => this.list()), this.filter(agent, name, sender),
      element("table", { children: [element("tbody", { children: rows })] }));
    if (page.next !== null && rows.length > 0)
      this.into.append(this.button("Older", () => this.open(agent, name, { from: page.next, sender })));
  }

  filter(agent, name, sender) {
    const field = element("input", { type: "search", id: "sender", placeholder: "Only messages of this sender", value: sender, autocomplete: "off" });
    const form = element("form", { children: [field] });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.attempt(() => this.open(agent, name, { sender: field.value.trim() }));
    });
    return form;
  }
}
