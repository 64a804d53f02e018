// SPDX-License-Identifier: MIT
// The sidebar's list: the pages loaded so far, newest first. The server searches.
import { element } from "./nodes.js";

const pageSize = 100;

export class List {
  // `load(query, signal)` returns a page or nothing; `chosen(id)` is called for a row that is clicked.
  constructor(into, { load, chosen }) {
    Object.assign(this, { into, load, chosen });
    this.rows = [];
    this.next = null; // the cursor of the following page; null if there is none
    this.search = "";
    this.current = null;
    this.loading = new AbortController();
    this.older = element("button", { type: "button", className: "older", text: "Older" });
    this.older.addEventListener("click", () => this.more());
    this.sight = new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && this.more());
  }

  find(words) {
    this.search = words;
    return this.reload(pageSize);
  }

  // Loads the shown rows again, and cancels any other request.
  async reload(count = Math.max(pageSize, this.rows.length)) {
    this.loading.abort();
    const { signal } = this.loading = new AbortController();
    const rows = [];
    let cursor = "";
    do {
      const page = await this.load({ cursor, search: this.search, limit: Math.min(count - rows.length, 1000) }, signal);
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
      element("small", { text: `${new Date(row.lastAt).toLocaleString()}${row.running ? " · answering" : ""}` })] });
    button.setAttribute("aria-current", String(row.id === this.current));
    button.addEventListener("click", () => this.chosen(row.id));
    return element("li", { children: [button] });
  }

  show() {
    const at = this.into.scrollTop;
    this.sight.disconnect();
    this.into.replaceChildren(...this.rows.map((row) => this.row(row)));
    if (this.next !== null) {
      this.into.append(element("li", { children: [this.older] }));
      this.sight.observe(this.older);
    }
    this.into.scrollTop = at;
  }
}
