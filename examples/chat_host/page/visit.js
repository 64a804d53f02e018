// SPDX-License-Identifier: MIT
// The shown view: a conversation, a new one, or the channel logs. Opening another view leaves it;
// its pending work then ends, or is not shown.
export class Visit {
  constructor(id) {
    this.id = id; // null until the server has given one
    this.state = "idle"; // "asking": a message is being sent; "answering": the server accepted it
    this.said = null; // the message of the running turn: its text, its bubble, whether it is stored, and the entry that asked before
    this.stopping = false; // the user cancelled the answer, which the server does not know yet
    this.lost = false; // the server cannot be reached
    this.after = undefined; // the next message follows this entry: an earlier one was edited
    this.settings = {}; // that the server has: the model and the system prompt; empty means the server's own
    this.wanted = null; // those of the next message, if they were changed
    this.end = null; // of the log that is shown
    this.tokens = null;
    this.leaving = new AbortController();
  }

  get signal() { return this.leaving.signal; }
  get left() { return this.signal.aborted; }
}
