// Pictures of a description: uploaded, described and deleted without leaving the page, and put into the text at the
// cursor. Without this script, the forms of the list lead to a page of their own.
"use strict";

(() => {
  const text = document.querySelector("textarea[name=description]");
  let section = document.querySelector("[data-pictures]");
  if (!section) return;

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

  const say = (list) => {
    if (!list.children.length) return;
    section.prepend(list);
    const announcer = document.getElementById("announcer");
    if (announcer) announcer.textContent = list.textContent;
  };

  const fail = (words) => {
    section.querySelector(":scope > .messages")?.remove();
    const list = make("ul", "", { className: "messages" });
    list.append(make("li", words, { className: "message error" }));
    say(list);
  };

  const decorate = () => {
    if (!text) return;
    for (const item of items()) {
      const button = make("button", "Insert", { type: "button" });
      button.append(make("span", ` ${item.querySelector("b").textContent} at the cursor`, { className: "hidden-text" }));
      button.addEventListener("click", () => insert(item.dataset.markdown));
      item.querySelector(".markdown-line").append(" ", button);
    }
  };

  const show = (page, inserts) => {
    const fresh = page.querySelector("[data-pictures]");
    if (!fresh) return fail(page.querySelector("main p")?.textContent || "The site did not answer. Reload the page.");
    const known = new Set(items().map((item) => item.dataset.picture));
    const focused = section.contains(document.activeElement);
    section.replaceWith(fresh);
    section = fresh;
    section.tabIndex = -1;
    if (focused) section.focus({ preventScroll: true });
    decorate();
    say(page.querySelector(".messages") || make("ul", ""));
    if (inserts) items().filter((item) => !known.has(item.dataset.picture)).forEach((item) => insert(item.dataset.markdown));
  };

  const send = async (form, files = null, inserts = false) => {
    const body = new FormData(form);
    if (files) {
      body.delete("pictures");
      files.forEach((file) => body.append("pictures", file));
    }
    section.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(form.action, { method: "POST", body });
      show(new DOMParser().parseFromString(await response.text(), "text/html"), inserts);
    } catch {
      fail("The pictures could not be sent. Check the connection and try again.");
    } finally {
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
    if (!files.length) return;
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
  const tools = make("div", "", { className: "toolbar picture-tools" });
  tools.append(button, chooser, make("span", "You can also drop or paste them into the text.", { className: "helptext" }));
  text.after(tools);
})();
