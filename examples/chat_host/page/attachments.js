// SPDX-License-Identifier: MIT
// Pictures and files for the next message: by paste, by drop, and by a button. A picture is sent as one; of another file,
// its text is put into the message.
import { element, iconButton } from "./nodes.js";

const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const largest = { picture: 5 << 20, text: 256 << 10 }; // bytes
const most = 16; // pictures of one message

const url = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result);
  reader.onerror = () => reject(new Error(`“${file.name}” cannot be read.`));
  reader.readAsDataURL(file);
});

// A block of code that contains the text, whatever it is.
function block(name, text) {
  const fence = "`".repeat(Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length)) + 1);
  const kind = /\.(\w{1,10})$/.exec(name)?.[1] ?? "";
  return `${name}:\n\n${fence}${kind}\n${text.replace(/\n$/, "")}\n${fence}\n`;
}

export class Attachments {
  // `into` shows the pictures; `write(text)` adds to the message; `complain(words)` reports what is not taken; `removed()` is
  // called when a person removed a picture.
  constructor(into, { write, complain, removed }) {
    Object.assign(this, { into, write, complain, removed });
    this.set([]);
  }

  set(urls) {
    this.urls = urls;
    this.into.hidden = urls.length === 0;
    this.into.replaceChildren(...urls.map((each, n) => element("li", { children: [
      each.startsWith("data:") ? element("img", { src: each, alt: `Picture ${n + 1}` }) : element("span", { text: each }),
      iconButton("remove", `Remove picture ${n + 1}`, () => this.remove(n))] })));
  }

  remove(n) {
    this.set(this.urls.filter((_, other) => other !== n));
    this.removed();
  }

  async add(files) {
    for (const file of files) {
      try {
        await this.addOne(file);
      } catch (problem) { this.complain(problem.message); }
    }
  }

  async addOne(file) {
    if (pictures.includes(file.type)) {
      if (file.size > largest.picture) throw new Error(`“${file.name}” is larger than 5 MB.`);
      const made = await url(file);
      if (this.urls.length >= most) throw new Error(`A message has at most ${most} pictures.`);
      this.set([...this.urls, made]);
      return;
    }
    if (file.size > largest.text) throw new Error(`“${file.name}” is larger than 256 kB.`);
    const text = await file.text();
    if (text.includes("\0") || text.includes("\uFFFD")) throw new Error(`“${file.name}” is neither text nor a picture.`);
    this.write(block(file.name, text));
  }

  // Takes files that are pasted into or dropped onto `area`.
  listen(area) {
    area.addEventListener("paste", (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      this.add(files);
    });
    area.addEventListener("dragover", (event) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    });
    area.addEventListener("drop", (event) => {
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      this.add([...event.dataTransfer.files]);
    });
  }
}
