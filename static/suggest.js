// Suggests entries of databases while somebody types their name. Without this script, the field takes names and identifiers
// as they are.
//
// <input data-suggest="URL of /api/v1/entries/" [data-namespace="psi-mi"] [data-organisms="9606,10090"] [data-separator=";"]
//   [data-event]>
//
// Choosing a suggestion writes its identifier with its database (MESH:D001943) into the field, with data-separator in place
// of the part after the last separator. With data-event, it sends the event "suggestion" from the field instead, whose
// detail is the entry as in REST; a page may change the attributes at any time. Arrow keys, Home, End, Enter, Escape and
// the pointer choose from the list. A page that adds fields later calls window.suggestEntries with each of them.
"use strict";

window.suggestEntries = (input) => {
  if (input.getAttribute("role") === "combobox") return;
  const WAIT = 150;
  const SHORTEST = 2;
  const MOST = 8;
  const list = document.createElement("ul");
  const frame = document.createElement("span");
  let timer = 0;
  let request = null;
  let chosen = -1;
  let shown = [];

  input.autocomplete = "off";
  list.id = `${input.id || input.name}_suggestions`;
  list.className = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  frame.className = "suggest";
  const isFocused = document.activeElement === input;
  input.before(frame);
  frame.append(input, list);
  if (isFocused) input.focus();
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", list.id]]) {
    input.setAttribute(name, value);
  }

  const separator = input.dataset.separator;
  const start = () => (separator ? input.value.lastIndexOf(separator) + 1 : 0);

  const announce = (words) => {
    const announcer = document.getElementById("announcer");
    if (announcer) announcer.textContent = words;
  };

  const close = () => {
    clearTimeout(timer);
    request?.abort();
    chosen = -1;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const mark = (number) => {
    const items = [...list.children];
    chosen = items.length ? (number + items.length) % items.length : -1;
    items.forEach((item, index) => item.setAttribute("aria-selected", String(index === chosen)));
    if (chosen < 0) return;
    input.setAttribute("aria-activedescendant", items[chosen].id);
    items[chosen].scrollIntoView({ block: "nearest" });
  };

  const choose = (item) => {
    const entry = shown[[...list.children].indexOf(item)];
    close();
    input.focus();
    if ("event" in input.dataset) {
      input.dispatchEvent(new CustomEvent("suggestion", { bubbles: true, detail: entry }));
      return;
    }
    const before = input.value.slice(0, start());
    input.value = `${before}${before ? " " : ""}${entry.curie}`;
  };

  const part = (name, text) => {
    const span = document.createElement("span");
    span.className = name;
    span.textContent = text;
    return span;
  };

  const build = (entry, index) => {
    const item = document.createElement("li");
    const title = [entry.symbol, entry.name].filter(Boolean).join(", ") || entry.identifier;
    const articles = entry.articles ? `in ${entry.articles.toLocaleString("en")} article${entry.articles === 1 ? "" : "s"}` : "in no article yet";
    const prefixed = entry.curie.toLowerCase().startsWith(`${entry.namespace.toLowerCase()}:`);
    const organism = entry.organism || (entry.taxon ? `organism ${entry.taxon}` : "");
    const curie = prefixed ? entry.curie : `${entry.namespace} ${entry.curie}`;
    const about = [curie, entry.chosen_organism ? `${organism} (chosen)` : organism, articles].filter(Boolean).join(" · ");
    const context = [entry.location, entry.function].filter(Boolean).join(" · ");
    const near = entry.match === "typing error" ? "Similar: " : "";
    item.id = `${list.id}_${index}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    item.append(part("title", near + (entry.matched ? `${entry.matched} → ${title}` : title)), part("meta", about));
    if (context) item.append(part("meta context", context));
    return item;
  };

  const show = (entries) => {
    shown = entries;
    list.replaceChildren(...entries.map(build));
    chosen = -1;
    list.hidden = !entries.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    input.removeAttribute("aria-activedescendant");
    announce(entries.length ? `${entries.length} suggestion${entries.length === 1 ? "" : "s"}` : "No suggestions");
  };

  const ask = async () => {
    const text = input.value.slice(start()).trim();
    if (text.length < SHORTEST) return close();
    request?.abort();
    request = new AbortController();
    const query = new URLSearchParams({ q: text, limit: MOST });
    for (const name of ["namespace", "organisms"]) if (input.dataset[name]) query.set(name, input.dataset[name]);
    try {
      const response = await fetch(`${input.dataset.suggest}?${query}`, { signal: request.signal, headers: { Accept: "application/json" } });
      if (response.ok && document.activeElement === input) show((await response.json()).results);
    } catch (error) {
      if (error.name !== "AbortError" && error.name !== "TypeError") throw error;
    }
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT);
  });
  input.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") mark(event.key === "ArrowDown" ? chosen + 1 : Math.max(chosen, 0) - 1);
    else if (event.key === "Home" && chosen >= 0) mark(0);
    else if (event.key === "End" && chosen >= 0) mark(list.children.length - 1);
    else if (event.key === "Enter" && chosen >= 0) choose(list.children[chosen]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  // Before the field loses the focus
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const item = event.target.closest("[role=option]");
    if (item) choose(item);
  });
  input.addEventListener("blur", close);
};
document.querySelectorAll("input[data-suggest]").forEach(window.suggestEntries);
