// Keeps parts of a page up to date. Without this script, every page still works after a reload.
//
// <div id="..." data-live="URL" data-version="7" [data-settled] [data-done] [data-eager] [data-announce="3 of 4 servers answered"]> ... </div>
//
// The script requests URL every 2 s with ?v=<data-version>. 204 means that nothing changed. 200 returns the new element, of
// which the script copies the children and the attributes data-live, data-version, data-settled, data-done and
// data-announce. data-done ends the requests. With data-settled, few changes are expected: the script requests URL only every
// 30 s and when the tab becomes visible. Screen readers read out data-announce when it changes. With data-eager, the script
// requests URL every 0.8 s for one minute, and for another minute after each change.
//
// Inside the element, a form with data-ask is submitted once automatically. A link with data-visit, a link to a different
// query inside an element with data-visit, and a GET form with data-visit update the element with their query without
// leaving the page. The form is submitted when one of its fields changes. The address follows at once. A new entry of the
// history is made when a parameter named in data-history changes, or when one that ends in * appears (data-history="kind
// mention*"); Back then undoes it, and so does a link that leads to the query of the entry before. Parameters named in
// data-carry stay as they are in data-live; a link with data-leave opens its page. <span data-age="38"> counts up in
// seconds. If the new element has data-go, the browser goes to that page.
//
// data-keep identifies the large part that the page already has. It is sent as ?keep=. A reply with data-partial then has
// only the elements with data-part, whose children are replaced by id. data-on and data-keep are copied too. An element
// inside can have a data-keep of its own, sent as another ?keep=. An empty element with data-kept and its id in the reply
// stands for the one that the page has. The element receives the events "live:visit", "live:popstate" (before data-carry
// is applied to the address), "live:back" and "live:swapped".
//
// On every page, #offline is shown while the site cannot be reached, and a form is not submitted again by the second click
// of a double click.
"use strict";

(() => {
  const EVERY = 2000;
  const EAGERLY = 800;
  const EAGER_FOR = 60000;
  const SETTLED = 30000;
  const AFTER_ASKING = 500;
  const HIDDEN = 15000;
  const LONGEST = 30000;
  const SENT_AGAIN = 2000;
  const GONE = [401, 403, 404, 410];
  // One failed request can be a restart of the site.
  const LOST_AFTER = 4000;
  const sent = new Set();

  const announce = (words) => {
    const announcer = document.getElementById("announcer");
    if (announcer && words && announcer.textContent !== words) announcer.textContent = words;
  };

  const notice = document.getElementById("offline");
  const showOffline = (offline) => {
    if (!notice || notice.hidden === !offline) return;
    notice.hidden = !offline;
    announce(offline ? notice.textContent : "The connection is back.");
  };
  window.addEventListener("offline", () => showOffline(true));
  window.addEventListener("online", () => showOffline(false));

  // A selector and an index that find the focused element among the new children
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
    if (!fresh) return;
    if (fresh.dataset.go) location.replace(fresh.dataset.go);
    const memory = remember(element);
    const [left, top] = [window.scrollX, window.scrollY];
    const folds = [...element.querySelectorAll("details[id]")].map((fold) => [fold.id, fold.open]);
    const scrolled = [...element.querySelectorAll(".scroll[id]")].map((box) => [box.id, box.scrollLeft, box.scrollTop]);
    const whole = !fresh.hasAttribute("data-partial");
    for (const place of fresh.querySelectorAll("[data-kept]")) {
      const kept = document.getElementById(place.id);
      kept.dataset.on = place.dataset.on;
      place.replaceWith(kept);
    }
    if (whole) element.replaceChildren(...fresh.childNodes);
    else fresh.querySelectorAll("[data-part]").forEach((part) => document.getElementById(part.id)?.replaceChildren(...part.childNodes));
    for (const name of ["version", "live", "keep", "on", "looked"]) {
      if (name in fresh.dataset) element.dataset[name] = fresh.dataset[name];
    }
    for (const state of ["data-done", "data-settled"]) element.toggleAttribute(state, fresh.hasAttribute(state));
    folds.forEach(([id, open]) => document.getElementById(id)?.toggleAttribute("open", open));
    scrolled.forEach(([id, x, y]) => document.getElementById(id)?.scrollTo(x, y));
    if (!element.contains(document.activeElement)) restore(element, memory);
    window.scrollTo(left, top);
    element.dispatchEvent(new CustomEvent("live:swapped", { detail: { whole } }));
    if (fresh.dataset.announce !== element.dataset.announce) announce(fresh.dataset.announce);
    element.dataset.announce = fresh.dataset.announce || "";
  };

  const ask = async (element) => {
    const form = element.querySelector("form[data-ask]");
    if (!form || sent.has(form.action)) return false;
    sent.add(form.action);
    try {
      await fetch(form.action, { method: "POST", body: new FormData(form), redirect: "manual" });
      return true;
    } catch {
      // The button of the form stays on the page and does the same.
      return false;
    }
  };

  const watch = (element) => {
    let failed = 0;
    let eager = performance.now() + EAGER_FOR;
    let timer = 0;
    let flight = null;
    let visiting = 0;
    let shown = location.search;
    const carried = (element.dataset.carry || "").split(" ").filter(Boolean);

    const pace = () => {
      if (element.hasAttribute("data-settled")) return document.hidden ? Infinity : SETTLED;
      const visible = element.hasAttribute("data-eager") && performance.now() < eager ? EAGERLY : EVERY;
      return document.hidden ? HIDDEN : visible;
    };

    const again = () => {
      const wait = Math.max(failed, pace());
      clearTimeout(timer);
      if (element.isConnected && !element.hasAttribute("data-done") && wait < Infinity) timer = setTimeout(poll, wait);
    };

    const listKept = () => [element, ...element.querySelectorAll("[data-keep]")].map((part) => part.dataset.keep).filter(Boolean);

    const bring = async (version, once = {}) => {
      flight?.abort();
      flight = new AbortController();
      const url = new URL(element.dataset.live, location.href);
      for (const [name, value] of Object.entries({ ...once, v: version })) url.searchParams.set(name, value);
      const kept = listKept();
      for (const each of kept) url.searchParams.append("keep", each);
      const reply = await fetch(url, { cache: "no-store", signal: flight.signal });
      if (reply.redirected || GONE.includes(reply.status)) return false;
      if (!reply.ok) throw new Error(`status ${reply.status}`);
      if (reply.status === 200) {
        const html = await reply.text();
        // The page has another text by now than the reply counts on.
        if (`${kept}` !== `${listKept()}`) return bring(version, once);
        swap(element, html);
        eager = performance.now() + EAGER_FOR;
      }
      return true;
    };

    const poll = async () => {
      clearTimeout(timer);
      // A visit brings what is new too, and goes on polling.
      if (visiting) return;
      try {
        if (!(await bring(element.dataset.version || ""))) return;
        failed = 0;
        showOffline(false);
      } catch (error) {
        if (error.name === "AbortError") return;
        failed = Math.min((failed || EVERY) * 2, LONGEST);
        if (failed > LOST_AFTER) showOffline(true);
      }
      again();
    };

    const show = async (once) => {
      clearTimeout(timer);
      shown = location.search;
      element.dataset.live = new URL(element.dataset.live, location.href).pathname + shown;
      visiting += 1;
      try {
        if (!(await bring("", once))) throw new Error("the page no longer exists");
      } catch (error) {
        if (error.name !== "AbortError") location.reload();
      } finally {
        visiting -= 1;
        if (!visiting) again();
      }
    };

    const isUndoable = (before, after) =>
      (element.dataset.history || "").split(" ").filter(Boolean).some((rule) => {
        const name = rule.replace("*", "");
        return rule === name ? before.get(name) !== after.get(name) : !before.has(name) && after.has(name);
      });

    // Without the parameters that stay as they are, whatever an address says.
    const strip = (parameters) => {
      const rest = new URLSearchParams(parameters);
      carried.forEach((name) => rest.delete(name));
      return `${rest}`;
    };

    const carry = (parameters) => {
      const now = new URL(element.dataset.live, location.href).searchParams;
      for (const name of carried) {
        if (now.has(name)) parameters.set(name, now.get(name));
        else parameters.delete(name);
      }
      return parameters;
    };

    const visit = (href) => {
      const before = new URL(element.dataset.live, location.href).searchParams;
      const after = carry(new URL(href).searchParams);
      // The server is asked once to keep the filters, and never by the address.
      const once = after.has("remember") ? { remember: "1" } : {};
      after.delete("remember");
      if (history.state?.before === strip(after)) return history.back();
      const address = `${location.pathname}?${after}`;
      if (isUndoable(before, after)) history.pushState({ before: strip(before) }, "", address);
      else history.replaceState(history.state, "", address);
      return show(once);
    };

    const send = (form) => {
      const url = new URL(location.pathname, location.href);
      url.search = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
      visit(url.href);
    };

    element.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-visit], [data-visit] a[href^='?']:not([data-leave])");
      if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      element.dispatchEvent(new CustomEvent("live:visit", { detail: { link } }));
      visit(link.href);
    });
    element.addEventListener("submit", (event) => {
      if (!event.target.matches("form[data-visit]")) return;
      event.preventDefault();
      send(event.target);
    });
    element.addEventListener("change", (event) => {
      // A field may stand outside its form.
      const form = event.target.form;
      if (form?.matches("[data-visit]") && form.checkValidity()) send(form);
    });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && !element.hasAttribute("data-done")) poll();
    });
    window.addEventListener("online", () => {
      if (!element.hasAttribute("data-done")) poll();
    });
    window.addEventListener("popstate", () => {
      if (!element.dataset.history) return;
      element.dispatchEvent(new CustomEvent("live:popstate"));
      const same = strip(location.search) === strip(shown);
      if (carried.length) {
        const address = new URL(location.href);
        address.search = carry(new URLSearchParams(location.search));
        history.replaceState(history.state, "", address);
      }
      if (same) return;
      element.dispatchEvent(new CustomEvent("live:back"));
      show({});
    });
    // Fast servers have answered by the time of the first request.
    ask(element).then((asked) => (asked ? setTimeout(poll, AFTER_ASKING) : again()));
  };

  // Ages are updated in the browser, so that no request is needed only because time passes.
  const born = new WeakMap();
  const tick = () => {
    for (const age of document.querySelectorAll("[data-age]")) {
      if (!born.has(age)) born.set(age, performance.now() - 1000 * Number(age.dataset.age));
      age.textContent = duration(Math.floor((performance.now() - born.get(age)) / 1000));
    }
  };
  const duration = (seconds) => {
    if (seconds < 120) return `${seconds} s`;
    return seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
  };

  // Forms that are sent by scripts have already called preventDefault and are not limited.
  const last = new WeakMap();
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented || event.target.method !== "post") return;
    if (event.timeStamp - (last.get(event.target) ?? -Infinity) < SENT_AGAIN) event.preventDefault();
    else last.set(event.target, event.timeStamp);
  });

  document.querySelectorAll("[data-live]").forEach(watch);
  tick();
  setInterval(tick, 1000);
})();
