// Pictures of a description: uploaded, described and deleted without leaving the page, and put into the text at the
// cursor. Without this script, the forms of the list lead to a page of their own.
"use strict";

(() => {
  const text = document.querySelector("textarea[name=description]");
  let section = document.querySelector("[data-pictures]");
  if (!section) return;

  // Under the text.
  const tools = document.createElement("div");
  tools.className = "toolbar picture-tools";

  const items = () => [...section.querySelectorAll("[data-picture]")];
  const upload = () => section.querySelector("form[enctype]");

  const make = (tag, words, values = {}) => Object.assign(document.createElement(tag), { textContent: words }, values);

  // The cursor is then where the alternative text is missing.
  const insert = (line) => {
    const [start, end] = [text.selectionStart, text.selectionEnd];
    text.setRangeText(line, start, end, "end");
    if (line.startsWith("![]")) text.setSelectionRange(start + 2, start + 2);
    text.focus();
  };

  // What was typed is out of sight of the list, so pictures for the text are reported beside it.
  const say = (messages, inText) => {
    document.querySelectorAll(".picture-notes").forEach((list) => list.remove());
    if (!messages.length) return;
    const list = make("ul", "", { className: "messages picture-notes" });
    list.append(...messages);
    if (inText) tools.after(list);
    else section.prepend(list);
    const announcer = document.getElementById("announcer");
    if (announcer) announcer.textContent = list.textContent;
  };

  const fail = (words, inText) => say([make("li", words, { className: "message error" })], inText);

  const decorate = () => {
    if (!text) return;
    for (const item of items()) {
      const button = make("button", "Insert", { type: "button" });
      button.append(make("span", ` ${item.querySelector("b").textContent} at the cursor`, { className: "hidden-text" }));
      button.addEventListener("click", () => insert(item.dataset.markdown));
      item.querySelector(".markdown-line").append(" ", button);
    }
  };

  const show = (page, inText) => {
    const fresh = page.querySelector("[data-pictures]");
    if (!fresh) return fail(page.querySelector("main p")?.textContent || "The site did not answer. Reload the page.", inText);
    const known = new Set(items().map((item) => item.dataset.picture));
    const focused = section.contains(document.activeElement);
    section.replaceWith(fresh);
    section = fresh;
    section.tabIndex = -1;
    if (focused) section.focus({ preventScroll: true });
    decorate();
    const faults = inText ? [...fresh.querySelectorAll(".errorlist li")] : [];
    say([...page.querySelectorAll(".messages li"), ...faults.map((fault) => make("li", fault.textContent, { className: "message error" }))], inText);
    if (inText) items().filter((item) => !known.has(item.dataset.picture)).forEach((item) => insert(item.dataset.markdown));
  };

  const send = async (form, files = null, inText = false) => {
    const body = new FormData(form);
    if (files) {
      body.delete("pictures");
      files.forEach((file) => body.append("pictures", file));
    }
    section.setAttribute("aria-busy", "true");
    if (inText) tools.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(form.action, { method: "POST", body });
      show(new DOMParser().parseFromString(await response.text(), "text/html"), inText);
    } catch {
      fail("The pictures could not be sent. Check the connection and try again.", inText);
    } finally {
      tools.removeAttribute("aria-busy");
      section.removeAttribute("aria-busy");
    }
  };

  document.addEventListener("submit", (event) => {
    if (!section.contains(event.target)) return;
    event.preventDefault();
    send(event.target);
  });

  // Files can be dropped on the text, or on the list.
  const receive = (event) => {
    const inText = event.target === text;
    if (!event.dataTransfer?.types.includes("Files") || !(inText || section.contains(event.target))) return;
    event.preventDefault();
    event.target.classList.toggle("dropping", inText && event.type === "dragover");
    if (event.type === "drop" && event.dataTransfer.files.length) send(upload(), [...event.dataTransfer.files], inText);
  };
  ["dragover", "dragleave", "drop"].forEach((name) => document.addEventListener(name, receive));

  decorate();
  if (!text) return;
  text.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files || [])];
    // Cells of a table come as text and as a picture of it.
    if (!files.length || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    send(upload(), files, true);
  });
  const chooser = make("input", "", { type: "file", multiple: true, hidden: true, accept: upload().querySelector("[type=file]").accept });
  const button = make("button", "Add pictures", { type: "button" });
  button.addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => {
    if (chooser.files.length) send(upload(), [...chooser.files], true);
    chooser.value = "";
  });
  const hint = make("span", "You can also drop or paste them into the text. ", { className: "helptext" });
  hint.append(make("a", "All pictures", { href: "#pictures" }));
  tools.append(button, chooser, hint);
  text.after(tools);
})();
