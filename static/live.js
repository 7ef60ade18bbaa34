// Keeps the parts of a page that change up to date. Without this script every page still works after a reload.
//
// <div id="..." data-live="URL" data-version="7" [data-done] [data-announce="3 of 4 servers answered"]> ... </div>
//
// URL is asked every 2 s with ?v=<data-version>: 204 says that nothing changed; 200 brings the whole element anew, of
// which the children, data-version, data-done and data-announce are taken over. data-done ends it. What data-announce
// says is read out when it changes. After a swap the element gets the event "live:swapped". A form with data-ask inside
// is sent once by itself.
"use strict";

(() => {
  const EVERY = 2000;
  const HIDDEN = 15000;
  const LONGEST = 30000;
  const sent = new Set();

  const say = (words) => {
    const voice = document.getElementById("announcer");
    if (voice && words && voice.textContent !== words) voice.textContent = words;
  };

  // Where the focus is, in words that find the same thing in the new children.
  const remember = (element) => {
    const focused = document.activeElement;
    if (!focused || !element.contains(focused) || focused === element) return null;
    const name = focused.tagName.toLowerCase();
    const by = ["id", "data-key", "href", "name"].find((attribute) => focused.getAttribute(attribute));
    const selector = by ? `${name}[${by}="${CSS.escape(focused.getAttribute(by))}"]` : name;
    const place = [...element.querySelectorAll(selector)].indexOf(focused);
    const typed = "value" in focused && focused.type !== "hidden" && name !== "button" ? focused.value : null;
    return { selector, place, typed };
  };

  const restore = (element, memory) => {
    if (!memory) return;
    const found = element.querySelectorAll(memory.selector);
    const target = found[memory.place] || found[0];
    if (!target) return;
    if (memory.typed !== null) target.value = memory.typed;
    target.focus({ preventScroll: true });
  };

  const swap = (element, html) => {
    const fresh = new DOMParser().parseFromString(html, "text/html").querySelector("[data-live]");
    if (!fresh) return false;
    const memory = remember(element);
    const [left, top] = [window.scrollX, window.scrollY];
    const open = [...element.querySelectorAll("details[open][id]")].map((details) => details.id);
    const scrolled = [...element.querySelectorAll(".scroll[id]")].map((box) => [box.id, box.scrollLeft, box.scrollTop]);
    element.replaceChildren(...fresh.childNodes);
    element.dataset.version = fresh.dataset.version;
    element.toggleAttribute("data-done", fresh.hasAttribute("data-done"));
    open.forEach((id) => document.getElementById(id)?.setAttribute("open", ""));
    scrolled.forEach(([id, x, y]) => document.getElementById(id)?.scrollTo(x, y));
    restore(element, memory);
    window.scrollTo(left, top);
    if (fresh.dataset.announce !== element.dataset.announce) say(fresh.dataset.announce);
    element.dataset.announce = fresh.dataset.announce || "";
    element.dispatchEvent(new CustomEvent("live:swapped", { bubbles: true }));
    return true;
  };

  const ask = async (element) => {
    const form = element.querySelector("form[data-ask]");
    if (!form || sent.has(form.action)) return;
    sent.add(form.action);
    try {
      await fetch(form.action, { method: "POST", body: new FormData(form), redirect: "manual" });
    } catch {
      // The form's own button stays on the page and does the same.
    }
  };

  const watch = (element) => {
    let wait = EVERY;
    let timer = 0;
    let asking = false;

    const again = () => {
      clearTimeout(timer);
      if (element.isConnected && !element.hasAttribute("data-done")) timer = setTimeout(poll, document.hidden ? Math.max(HIDDEN, wait) : wait);
    };

    const poll = async () => {
      if (asking) return;
      asking = true;
      try {
        const url = new URL(element.dataset.live, location.href);
        url.searchParams.set("v", element.dataset.version || "");
        const reply = await fetch(url, { cache: "no-store", headers: { "X-Requested-With": "live" } });
        if (reply.redirected || [401, 403, 404, 410].includes(reply.status)) return;
        if (reply.status === 200) swap(element, await reply.text());
        wait = reply.ok ? EVERY : Math.min(wait * 2, LONGEST);
        again();
      } catch {
        wait = Math.min(wait * 2, LONGEST);
        again();
      } finally {
        asking = false;
      }
    };

    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && !element.hasAttribute("data-done")) poll();
    });
    ask(element).then(again);
  };

  document.querySelectorAll("[data-live]").forEach(watch);
})();
