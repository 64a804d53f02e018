// SPDX-License-Identifier: MIT
// Questions to the user, the token among them, and the notice that shows what failed.
import * as api from "./api.js";
import { keepFocus } from "./keyboard.js";

const $ = (id) => document.getElementById(id);

// Asks the user: a question with an input field, or one to confirm. Null if cancelled.
export function ask(question, { value = null, type = "text" } = {}) {
  $("question").textContent = question;
  $("reply").hidden = value === null;
  $("reply").type = type;
  $("reply").value = value ?? "";
  $("ask").returnValue = "";
  $("ask").showModal();
  $("reply").select();
  return new Promise((resolve) => {
    $("ask").addEventListener("close", () => resolve($("ask").returnValue === "yes" ? $("reply").value : null), { once: true });
  });
}

async function askOnceForToken() {
  const token = await ask("Token of this server", { value: "", type: "password" });
  if (!token) return false;
  sessionStorage.setItem("token", token);
  api.useToken(token);
  return true;
}
let asked = null; // one question for all that wait for its answer
function askForToken() {
  asked ??= askOnceForToken().finally(() => { asked = null; });
  return asked;
}

// Stays until the user dismisses it, sends a message or opens another view.
export function notify(text, undo = null) {
  $("notice").textContent = text;
  $("dismiss").hidden = text === "";
  $("undo").hidden = undo === null;
  $("undo").onclick = undo;
  $("notice").classList.toggle("good", undo !== null);
  keepFocus();
}
export const dismiss = () => notify("");

// Runs an action that may fail, and shows the error. `fix` is called when the token is refused.
export async function attempt(action, fix = askForToken) {
  try {
    return await action();
  } catch (problem) {
    if (problem.name === "AbortError") return undefined;
    if (problem.status === 401 && await fix()) return attempt(action, fix);
    notify(problem.message);
    return undefined;
  }
}
