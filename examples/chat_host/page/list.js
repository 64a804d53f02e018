// SPDX-License-Identifier: MIT
// The sidebar's list: the pages loaded so far, newest first. The server searches.
import { element } from "./nodes.js";

const pageSize = 100;
const day = 86400000; // milliseconds

// The group of a time in the list.
export function groupOf(time, now = new Date()) {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  if (time >= midnight) return "Today";
  if (time >= midnight - day) return "Yesterday";
  if (time >= midnight - 6 * day) return "This week";
  return new Date(time).toLocaleDateString("en", { month: "long", year: "numeric" });
}

// When something was, as short as its group allows.
function timeOf(time) {
  const group = groupOf(time);
  const of = (options) => new Date(time).toLocaleString("en-GB", options);
  if (group === "Today" || group === "Yesterday") return of({ hour: "2-digit", minute: "2-digit" });
  if (group === "This week") return of({ weekday: "long" });
  return of({ day: "numeric", month: "long" });
}

// The time of a message: the hour today, else with the day; and the whole.
export function momentOf(time) {
  const at = new Date(time);
  const hour = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const day = groupOf(time) === "Today" ? "" : `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} `;
  return { short: `${day}${hour}`, long: at.toLocaleString() };
}

export class List {
  // `load(query, signal)` returns a page or nothing, and `search(query, signal)` hits; `chosen(id, hit)` is called for a row
  // or a hit that is clicked.
  constructor(into, { load, search, chosen }) {
    Object.assign(this, { into, load, chosen, look: search });
    this.hits = [];
    this.moreHits = null; // the cursor of the following hits
    this.archived = false; // those that are archived are shown, and not the others
    this.rows = [];
    this.next = null; // the cursor of the following page; null if there is none
    this.search = "";
    this.current = null;
    this.loading = new AbortController();
    this.older = element("button", { type: "button", className: "older", text: "Older" });
    this.older.addEventListener("click", () => this.more());
    this.sight = new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && this.more());
  }

  async find(words) {
    this.search = words;
    [this.hits, this.moreHits] = [[], null];
    await this.reload(pageSize);
    if (words.trim().length > 1) await this.findMore("");
  }

  // Hits in what was said. A request that examined enough conversations without a hit is continued.
  async findMore(cursor) {
    const { signal } = this.loading;
    const hits = [];
    let next = cursor;
    do {
      const page = await this.look({ q: this.search.trim(), cursor: next }, signal);
      if (!page || signal.aborted) return;
      hits.push(...page.hits);
      next = page.next;
    } while (next !== null && hits.length === 0);
    this.hits.push(...hits);
    this.moreHits = next;
    this.show();
  }

  // Loads the shown rows again, and cancels any other request.
  async reload(count = Math.max(pageSize, this.rows.length)) {
    this.loading.abort();
    const { signal } = this.loading = new AbortController();
    const rows = [];
    let cursor = "";
    do {
      const page = await this.load({ cursor, search: this.search, archived: this.archived, limit: Math.min(count - rows.length, 1000) }, signal);
      if (!page || signal.aborted) return;
      rows.push(...page.sessions);
      cursor = page.next;
    } while (cursor !== null && rows.length < count);
    this.rows = rows;
    this.next = cursor;
    this.show();
  }

  more() {
    return this.next === null ? undefined : this.reload(this.rows.length + pageSize);
  }

  mark(id) {
    this.current = id;
    this.show();
  }

  row(row) {
    const button = element("button", { type: "button", children: [
      element("span", { text: row.title || "Untitled" }),
      element("small", { title: new Date(row.lastAt).toLocaleString(), text: `${timeOf(row.lastAt)}${row.running ? " · answering" : ""}` })] });
    button.setAttribute("aria-current", String(row.id === this.current));
    button.dataset.of = row.id;
    button.addEventListener("click", () => this.chosen(row.id));
    return element("li", { children: [button] });
  }

  heading(text) {
    return element("li", { className: "group", children: [element("h2", { text })] });
  }

  hit(hit) {
    const button = element("button", { type: "button", className: "hit", children: [
      element("span", { text: hit.title || "Untitled" }),
      element("small", { children: [hit.before, element("mark", { text: hit.match }), hit.after] })] });
    button.dataset.of = `${hit.sessionId} ${hit.entry}`;
    button.addEventListener("click", () => this.chosen(hit.sessionId, hit));
    return element("li", { children: [button] });
  }

  // The button that has the focus keeps it, or the one in its place gets it.
  show() {
    const { activeElement } = document;
    const place = activeElement.matches(":focus-visible") ? this.buttons.indexOf(activeElement) : -1;
    this.draw();
    if (place < 0) return;
    const same = this.buttons.find(({ dataset }) => dataset.of && dataset.of === activeElement.dataset.of);
    (same ?? this.buttons[place] ?? this.buttons.at(-1))?.focus({ preventScroll: true });
  }

  get buttons() { return [...this.into.querySelectorAll("button")]; }

  draw() {
    const at = this.into.scrollTop;
    this.sight.disconnect();
    const items = [];
    let group = "";
    for (const row of this.rows) {
      const its = groupOf(row.lastAt);
      if (its !== group) items.push(this.heading(group = its));
      items.push(this.row(row));
    }
    this.into.replaceChildren(...items);
    if (this.next !== null) {
      this.into.append(element("li", { children: [this.older] }));
      this.sight.observe(this.older);
    }
    if (this.hits.length > 0) this.into.append(this.heading("In messages"), ...this.hits.map((hit) => this.hit(hit)));
    if (this.hits.length > 0 && this.moreHits !== null) {
      const more = element("button", { type: "button", className: "older", text: "More messages" });
      more.addEventListener("click", () => this.findMore(this.moreHits));
      this.into.append(element("li", { children: [more] }));
    }
    if (items.length + this.hits.length === 0 && (this.search || this.archived))
      this.into.append(element("li", { className: "group", text: this.search ? "Nothing found" : "Nothing is archived" }));
    this.into.scrollTop = at;
  }
}
