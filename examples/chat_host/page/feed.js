// SPDX-License-Identifier: MIT
// Follows the feed of a running turn, through lost connections.
import * as api from "./api.js";

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Gives each event to `hear`, and returns the last; null if the turn should not be followed any more. A lost connection is
// tried again each second, until the user stops it.
export async function hearAll(here, reply, { talk, hear }) {
  let last = "";
  for (;;) {
    try {
      reply ??= await api.listen(here.id, last, here.signal);
      here.lost = false;
      if (reply.status === 204) return null;
      const before = last;
      for await (const [name, event] of api.events(reply)) {
        if (event.type === "session" && before) return null; // this is another turn
        last = name;
        hear(here, event);
        if (event.type === "done") return event;
      }
    } catch (lost) {
      if (here.left || (lost instanceof api.Problem && lost.status < 500)) throw lost; // an answer of the server is final
      if (!reply && !here.lost) talk.waiting("The connection is lost; trying again. Stop ends this.");
      here.lost ||= !reply;
    }
    reply = null;
    await pause(1000);
    if (here.lost && here.stopping) {
      talk.lost();
      throw new Error("The connection is lost. Open the conversation again to see the result.");
    }
  }
}
