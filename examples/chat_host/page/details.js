// SPDX-License-Identifier: MIT
// What is known of a conversation beside its words: the tokens and their cost, what a summary replaces, what was repaired
// for the model, and its settings.
import * as api from "./api.js";
import { element } from "./nodes.js";

const number = (value) => value.toLocaleString("en");
function line(name, value, words = "") {
  return element("div", { children: [element("dt", { text: name }), element("dd", { children: [value, ...(words ? [element("small", { text: words })] : [])] })] });
}

// The cost in dollars; null if the server knows no prices.
function costOf({ input, output, cacheRead, cacheWrite }, prices) {
  if (!prices) return null;
  return ((input + cacheRead + cacheWrite) * prices.input + output * prices.output) / 1e6;
}

function tokenLines({ tokens, tokenLimit, usage, prices }) {
  const lines = [];
  if (tokens !== null && tokens !== undefined)
    lines.push(line("In the next request", `${number(tokens)} tokens`, tokenLimit === null ? "There is no limit."
      : `Above ${number(tokenLimit)}, the oldest messages are replaced by a summary for the model. You still see them here.`));
  if (!usage) return lines;
  const all = usage.input + usage.cacheRead + usage.cacheWrite;
  if (all + usage.output === 0) return [...lines, line("Used so far", "not reported by the provider")];
  lines.push(line("Read by the model so far", `${number(all)} tokens`,
    usage.cacheRead > 0 ? `${number(usage.cacheRead)} of them came from the provider's cache, which costs less.` : "Each request sends the conversation again."));
  lines.push(line("Written by the model so far", `${number(usage.output)} tokens`));
  const cost = costOf(usage, prices);
  if (cost === null)
    lines.push(line("Cost so far", "not known", "The server shows it if it is started with --prices: the dollars for a million tokens read, and written."));
  else
    lines.push(line("Cost so far", `${usage.cacheRead > 0 ? "at most " : ""}$${cost.toFixed(cost < 1 ? 4 : 2)}`,
      `At $${prices.input} for a million tokens read and $${prices.output} for a million written.`));
  return lines;
}

function repairLines(request) {
  if (!request) return [];
  const { repairs } = request;
  if (repairs.length === 0) return [line("Repaired for the model", "nothing")];
  const list = element("ul", { children: repairs.map(({ rule, before, after }) => element("li", { text:
    `${rule.replaceAll("_", " ")}${before || after ? `: ${before.slice(0, 80) || "nothing"} → ${after.slice(0, 80) || "nothing"}` : ""}` })) });
  return [line("Repaired for the model", element("div", { children: [`${repairs.length}`, list] }), "The log stays as it is; only the request differs.")];
}

function save(name, text, kind) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function asMarkdown(title, entries) {
  const said = entries.filter(({ type, role }) => type === "message" && (role === "user" || role === "assistant"));
  const words = said.map(({ role, content }) => {
    const text = content.filter((part) => part.type === "text").map((part) => part.text).join("\n\n");
    return text && `## ${role === "user" ? "You" : "Assistant"}\n\n${text}\n`;
  });
  return [`# ${title}\n`, ...words.filter(Boolean)].join("\n");
}

// The dialog.
export class Details {
  // `$(id)` is an element of the page; `now()` has the visit and the limit; `attempt` runs an action that may fail.
  constructor($, { attempt, now }) {
    Object.assign(this, { $, attempt, now, agents: [], prices: null }); // what a person may choose
    $("details").addEventListener("close", () => this.take());
    for (const name of ["rename", "archive", "delete"]) // a phone's head has no room for them
      $(`narrow-${name}`).addEventListener("click", () => { $("details").close(); $(name).click(); });
    $("export-log").addEventListener("click", () => this.exportLog());
    $("export-text").addEventListener("click", () => this.exportText());
    $("agent").addEventListener("change", () => { location.assign(`${location.pathname}?${new URLSearchParams({ agent: $("agent").value })}`); });
  }

  async load() {
    Object.assign(this, await this.attempt(api.agents));
  }

  // What the server has for this agent.
  get own() {
    return this.agents.find(({ id }) => id === api.agentName()) ?? { models: [], system: "" };
  }

  async open() {
    const { $, own } = this;
    const { visit, tokenLimit } = this.now();
    const { model, system } = { ...visit.settings, ...visit.wanted };
    const options = (values) => values.map((value) => element("option", { value, text: value }));
    $("agent").replaceChildren(...options(this.agents.map(({ id }) => id)));
    $("agent").value = api.agentName();
    $("agent-choice").hidden = this.agents.length < 2;
    $("model").replaceChildren(...options([...new Set([...own.models, ...(model ? [model] : [])])]));
    $("model").value = model || own.models[0];
    $("system").value = system || own.system;
    for (const acts of document.querySelectorAll("#acts, .narrow")) acts.hidden = visit.id === null;
    const facts = tokenLines({ tokens: visit.tokens, tokenLimit, usage: visit.usage, prices: this.prices });
    $("facts").replaceChildren(...facts);
    $("details").showModal();
    if (visit.id === null) return;
    const request = await this.attempt(() => api.nextRequest(visit.id, visit.signal));
    if (request && !visit.left) $("facts").replaceChildren(...facts, ...repairLines(request));
  }

  // The settings that the dialog shows, where they differ from those that hold.
  take() {
    const { $, own } = this;
    const { visit } = this.now();
    if (own.models.length === 0) return;
    const chosen = { model: $("model").value === own.models[0] ? "" : $("model").value, system: $("system").value === own.system ? "" : $("system").value };
    const changed = Object.entries(chosen).filter(([name, value]) => value !== (visit.settings[name] ?? ""));
    visit.wanted = changed.length > 0 ? Object.fromEntries(changed) : null;
  }

  async exportLog() {
    const { visit } = this.now();
    const log = await this.attempt(() => api.exported(visit.id));
    if (log !== undefined) save(`${visit.id}.jsonl`, log, "application/jsonl");
  }

  exportText() {
    const title = this.$("title").textContent;
    const name = title.replace(/[^\p{L}\p{N} _-]/gu, "").slice(0, 60) || "conversation";
    save(`${name}.md`, asMarkdown(title, this.now().visit.entries ?? []), "text/markdown");
  }
}
