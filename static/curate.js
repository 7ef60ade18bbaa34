// The workspace of a curation: decisions by one key, without leaving the page. Without this script, every form works alone.
//
// <div data-curation> has the text (elements with data-start, the position of their text in code points), the list of items
// (data-list; after a decision, the decided item or all of it is replaced) and the details of the selected item (data-details).
"use strict";

(() => {
  const page = document.querySelector("[data-curation]");
  if (!page) return;
  const list = page.querySelector("[data-list]");
  const details = page.querySelector("[data-details]");
  const text = page.querySelector("#text");
  const announcer = document.getElementById("announcer");
  const announce = (words) => { if (announcer) announcer.textContent = words; };
  page.classList.add("by-key");
  const waitingKeys = [];
  let isSending = false;
  let detailsRequest = null;
  let opened = null;

  const suggestIn = (element) => element.querySelectorAll("input[data-suggest]").forEach((input) => {
    if (page.dataset.organisms) input.dataset.organisms = page.dataset.organisms;
    window.suggestEntries?.(input);
  });

  // The current item

  const items = () => [...list.querySelectorAll("[data-item]")];
  const current = () => list.querySelector("[data-item][aria-current]");

  // On small screens, the buttons of the current item are in sight without it, below the text.
  const hasFixedButtons = (item) => {
    const buttons = item.querySelector(".item-buttons");
    return buttons && getComputedStyle(buttons).position === "fixed";
  };

  const isInSight = (item) => {
    const { top, bottom } = item.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };

  const select = (item, { focus = true, scroll = true } = {}) => {
    current()?.removeAttribute("aria-current");
    if (!item) { details.hidden = true; opened = null; return; }
    item.setAttribute("aria-current", "true");
    item.querySelector(".item-buttons")?.setAttribute("data-item-name", item.ariaLabel);
    if (focus) item.focus({ preventScroll: true });
    if (scroll || !hasFixedButtons(item)) item.scrollIntoView({ block: "nearest" });
    showDetails(item);
  };

  const move = (step) => {
    const all = items();
    const at = all.indexOf(current());
    select(all[Math.min(Math.max(at + step, 0), all.length - 1)]);
  };

  // Positions in code points are positions of characters beyond the basic plane counted once.

  const toUnits = (node, points) => {
    let units = 0;
    for (const character of node.data) {
      if (points-- <= 0) break;
      units += character.length;
    }
    return units;
  };

  const passages = [...text.querySelectorAll("[data-start]")].map((element) => ({
    node: element.firstChild, start: Number(element.dataset.start), length: [...element.textContent].length,
  }));

  const makeRange = (start, end) => {
    const passage = passages.find((each) => each.node && start >= each.start && end <= each.start + each.length);
    if (!passage) return null;
    const range = new Range();
    range.setStart(passage.node, toUnits(passage.node, start - passage.start));
    range.setEnd(passage.node, toUnits(passage.node, end - passage.start));
    return range;
  };

  const highlight = (name, spans) => {
    if (!CSS.highlights) return;
    const ranges = spans.map(([start, end]) => makeRange(start, end)).filter(Boolean);
    CSS.highlights.set(name, new Highlight(...ranges));
    if (name === "item" && ranges.length) {
      const box = ranges[0].getBoundingClientRect();
      const frame = text.getBoundingClientRect();
      if (box.top < frame.top || box.bottom > frame.bottom) text.scrollBy({ top: box.top - frame.top - frame.height / 3 });
    }
  };

  const readSpans = (value) => (value || "").split(" ").filter(Boolean).map((span) => span.split("-").map(Number));

  // Details of the selected item: its sentences, the entry, and the form to correct it

  const showDetails = async (item, edit = false) => {
    if (opened?.item === item) {
      opened.edit ||= edit;
      if (edit && opened.isLoaded) focusForm();
      return;
    }
    detailsRequest?.abort();
    detailsRequest = new AbortController();
    const opening = { item, edit, isLoaded: false };
    opened = opening;
    const query = new URLSearchParams({ kind: item.dataset.kind, key: item.dataset.key, step: page.dataset.step || "" });
    try {
      const answer = await fetch(`${page.dataset.itemUrl}?${query}`, { headers: { "X-Fragment": "1" }, signal: detailsRequest.signal });
      if (!answer.ok) throw new Error(answer.statusText);
      const html = await answer.text();
      if (opened !== opening) return;
      opening.isLoaded = true;
      openDetails(html, opening.edit);
    } catch (error) {
      if (opened === opening) opened = null;
      if (error.name !== "AbortError") announce("The details could not be loaded.");
    }
  };

  // What was open goes at once, so that nobody types into a form that is replaced.
  const showNewForm = async (address) => {
    opened = null;
    details.replaceChildren();
    try {
      const answer = await fetch(address, { headers: { "X-Fragment": "1" } });
      if (!answer.ok) throw new Error(answer.statusText);
      openDetails(await answer.text(), true);
    } catch {
      announce("The form could not be loaded. Try again.");
    }
  };

  const openDetails = (html, edit) => {
    details.innerHTML = html;
    details.hidden = false;
    details.classList.remove("edited");
    suggestIn(details);
    showDirection();
    const panel = details.firstElementChild;
    highlight("item", readSpans(panel?.dataset.spans));
    if (edit) focusForm();
  };

  // The direction is offered for types that have one, and shown if it is set, so that it is never sent unseen.
  const showDirection = () => {
    const direction = details.querySelector("[data-direction]");
    if (!direction) return;
    const type = details.querySelector("#interaction-type").selectedOptions[0];
    direction.hidden = !("directed" in type.dataset) && !direction.querySelector("input").checked;
  };
  details.addEventListener("change", (event) => { if (event.target.matches("#interaction-type")) showDirection(); });

  // What the entry says holds until another participant is entered.
  details.addEventListener("input", (event) => {
    if (!event.target.matches("input[name=participant]")) return;
    const hint = event.target.closest("fieldset").querySelector("[data-organism-hint]");
    hint.textContent = hint.dataset.organismHint;
  });

  // A form that is filled in has the room that it needs, on small screens too.
  const focusForm = () => {
    details.classList.add("edited");
    (details.querySelector("[data-first]") || details.querySelector("input:not([type=hidden]), select"))?.focus();
  };

  // Decisions

  // crypto.randomUUID is missing on pages without TLS.
  const makeToken = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

  const send = async (form, button) => {
    if (isSending) return;
    isSending = true;
    const body = new FormData(form, button);
    body.set("token", makeToken());
    const before = items().indexOf(current());
    try {
      // A button named action hides the property of this name.
      const fragment = form.closest("[data-item]") ? "item" : "list";
      const answer = await fetch(form.getAttribute("action"), { method: "POST", body, headers: { "X-Fragment": fragment } });
      if (answer.redirected || ![200, 409, 422].includes(answer.status)) { explainNotStored(form, answer); return; }
      const html = await answer.text();
      if (answer.ok) document.dispatchEvent(new CustomEvent("curation:decided"));
      if (answer.status === 422 && form.closest("[data-details]")) showFault(form, html);
      else replaceList(html, before, answer.ok && body.get("action") !== "undo");
    } catch {
      announce("The decision was not sent: there is no connection. Nothing is lost; try again.");
      waitingKeys.length = 0;
    } finally {
      isSending = false;
    }
    if (waitingKeys.length) pressKey(waitingKeys.shift());
  };

  // A page that is loaded anew says why by itself, but loses what was typed.
  const explainNotStored = (form, answer) => {
    waitingKeys.length = 0;
    const isAway = answer.status >= 500 || answer.status === 429;
    const isTyped = form.closest("[data-details]");
    if (!isAway && !isTyped) { location.reload(); return; }
    const text = isAway
      ? "The decision was not stored: the site is busy or away. Nothing is lost; try again."
      : "The decision was not stored: you are logged out, or may not open this page any more. Copy what you typed before you reload the page.";
    if (isTyped) noteFault(form, null, text);
    else announce(text);
  };

  const showFault = (form, html) => {
    const fault = new DOMParser().parseFromString(html, "text/html").querySelector("[data-error]");
    if (!fault) return;
    const field = form.querySelector(`[data-field="${CSS.escape(fault.dataset.error)}"], [name="${CSS.escape(fault.dataset.error)}"]`);
    noteFault(form, field, fault.textContent);
  };

  const noteFault = (form, field, text) => {
    form.querySelectorAll(".field-error").forEach((each) => each.remove());
    const note = document.createElement("p");
    note.className = "message error field-error";
    note.setAttribute("role", "alert");
    note.textContent = text;
    (field || form.firstElementChild).after(note);
    for (let part = note.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    (field?.querySelector("input") || field)?.focus();
  };

  // If nothing else has changed, the answer is the head of the list and the item. Then the page shows the newest revision.
  const replaceItem = (html) => {
    const changed = new DOMParser().parseFromString(html, "text/html").querySelector("[data-changed]");
    if (!changed) return false;
    list.querySelector(".list-head").replaceWith(changed.querySelector(".list-head"));
    changed.querySelectorAll("[data-item]").forEach((item) => {
      items().find((each) => each.dataset.kind === item.dataset.kind && each.dataset.key === item.dataset.key)?.replaceWith(item);
    });
    list.querySelectorAll("[name=seen]").forEach((input) => { input.value = changed.dataset.changed; });
    return true;
  };

  const replaceList = (html, before, advance) => {
    const scroll = Boolean(current() && isInSight(current()));
    if (!replaceItem(html)) {
      list.innerHTML = html;
      suggestIn(list);
    }
    const all = items();
    const next = advance ? all.findIndex((each, index) => index >= before && !/accepted|rejected|skipped/.test(each.className)) : before;
    select(all[next >= 0 ? next : Math.max(before, 0)] || null, { scroll });
    const fault = list.querySelector("[role=alert]");
    if (fault) announce(fault.textContent);
  };

  page.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.matches("[data-decide]")) {
      event.preventDefault();
      send(form, event.submitter);
    } else if (form.matches("[data-notes]")) {
      event.preventDefault();
      fetch(form.action, { method: "POST", body: new FormData(form), headers: { "X-Fragment": "1" } })
        .then(async (answer) => announce(answer.status === 204 ? "Notes saved." : answer.status === 422 ? await answer.text() : "The notes could not be saved."))
        .catch(() => announce("The notes were not sent: there is no connection. Try again."));
    }
  });

  page.addEventListener("click", (event) => {
    const edit = event.target.closest("a[data-edit]");
    if (edit && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const item = edit.closest("[data-item]");
      if (item) { current()?.removeAttribute("aria-current"); item.setAttribute("aria-current", "true"); showDetails(item, true); }
      else showNewForm(edit.href);
      return;
    }
    const item = event.target.closest("[data-item]");
    if (item && !event.target.closest("button, a, select, input")) select(item);
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    // What was typed stays in its form.
    if (event.key === "Escape" && details.contains(document.activeElement)) { current()?.focus({ preventScroll: true }); return; }
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    const key = event.key.toLowerCase();
    if (["j", "arrowdown"].includes(key) && !text.contains(document.activeElement)) { event.preventDefault(); move(1); return; }
    if (["k", "arrowup"].includes(key) && !text.contains(document.activeElement)) { event.preventDefault(); move(-1); return; }
    if (event.repeat) return;
    // What is typed for a form that is still loading is no decision.
    if (opened?.edit && !opened.isLoaded) { event.preventDefault(); return; }
    if (key === "n" && selected && !details.hidden && details.querySelector("[data-words]")) {
      event.preventDefault();
      details.querySelector("[data-first]").focus();
      return;
    }
    if (isSending) waitingKeys.push(key);
    else if (pressKey(key)) event.preventDefault();
  });

  // Keys that are pressed while a decision is sent are for the item that is selected after it.
  const pressKey = (key) => {
    const button = current()?.querySelector(`[data-press="${CSS.escape(key)}"]`) || list.querySelector(`.list-head [data-press="${CSS.escape(key)}"], :scope > form [data-press="${CSS.escape(key)}"]`);
    if (!button || button.disabled) return false;
    button.click();
    return true;
  };

  // What is selected in the text fills the form of a new mention

  const countPoints = (node, units) => [...node.data.slice(0, units)].length;
  document.addEventListener("selectionchange", () => {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed || !text.contains(selection.anchorNode)) return;
    const range = selection.getRangeAt(0);
    const passage = passages.find((each) => each.node === range.startContainer && each.node === range.endContainer);
    if (!passage) return;
    const start = passage.start + countPoints(passage.node, range.startOffset);
    const end = passage.start + countPoints(passage.node, range.endOffset);
    offerSelection(start, end, range.toString());
  });

  // While an interaction is edited, selected text is offered as a passage, otherwise as a new mention.
  const newMention = page.querySelector("template[data-new-mention]");
  let selected = null;

  const offerSelection = (start, end, words) => {
    selected = { start, end, words };
    const interaction = details.hidden ? null : details.querySelector(".interaction-form");
    if (interaction) interaction.querySelectorAll("[data-take-selection]").forEach((button) => { button.hidden = false; });
    else if (newMention) offerMention();
  };

  const offerMention = () => {
    const form = newMention.content.cloneNode(true);
    const places = text.textContent.split(selected.words).length - 2;
    form.querySelector("[data-words]").textContent = selected.words;
    form.querySelector("[data-places]").textContent = places > 0 ? String(places) : "nowhere";
    for (const name of ["start", "end"]) form.querySelector(`[name=${name}]`).value = selected[name];
    form.querySelector("[name=text]").value = selected.words;
    form.querySelector("[name=seen]").value = list.querySelector("[name=seen]")?.value ?? "0";
    opened = null;
    details.replaceChildren(form);
    details.classList.add("edited");
    details.hidden = false;
    suggestIn(details);
  };

  page.addEventListener("click", (event) => {
    const button = event.target.closest("[data-take-selection]");
    if (!button || !selected) return;
    const number = button.dataset.takeSelection;
    const row = document.createElement("li");
    const label = document.createElement("label");
    const box = document.createElement("input");
    Object.assign(box, { type: "checkbox", name: `evidence-${number}`, value: `${selected.start}-${selected.end}`, checked: true });
    label.append(box, ` ${selected.words}`);
    row.append(label);
    button.parentElement.querySelector(".passages").prepend(row);
  });

  // What servers propose of a manuscript appears when they answer, but not while somebody types in the list.

  const news = document.getElementById("manuscript-news");
  let answered = news?.dataset.on;
  const refreshList = async () => {
    const isTyping = list.contains(document.activeElement) && document.activeElement.matches("input:not([type=hidden]), select");
    if (isSending || isTyping) { setTimeout(refreshList, 2000); return; }
    const answer = await fetch(location.href, { headers: { "X-Fragment": "1" } }).catch(() => null);
    if (!answer?.ok || answer.redirected || isSending) return;
    const id = current()?.id;
    const hadFocus = list.contains(document.activeElement);
    list.innerHTML = await answer.text();
    suggestIn(list);
    const same = id && document.getElementById(id);
    if (!same) return;
    same.setAttribute("aria-current", "true");
    if (hadFocus) same.focus({ preventScroll: true });
  };
  news?.addEventListener("live:swapped", () => {
    if (news.dataset.on === answered) return;
    answered = news.dataset.on;
    refreshList();
  });

  suggestIn(list);
  select(items().find((each) => !/accepted|rejected|skipped/.test(each.className)) || items()[0] || null, { focus: false, scroll: false });
})();
