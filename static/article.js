// Keyboard shortcuts of the article page, and highlighting of mentions and list rows that belong together. Without this
// script, the page works with its links alone.
//
// The text and the list have one tab stop each, which the shortcuts move, so that thousands of mentions are within reach.
// On a mention, data-w has the key of its name, followed by the keys of longer names that it is part of. On a row of the
// list, it has the keys of all names of its annotation.
"use strict";

(() => {
  const article = document.getElementById("article");
  const help = document.getElementById("keys");
  if (!article) return;
  // Those of the text; links of the legend look the same.
  const MARK = "a.mark:is([id], [data-m])";
  let marks = [];
  let current = null;
  let choosing = "";
  let going = false;

  const region = (node) => node?.closest("h1, .text, #rows, #mention");
  const keys = (node) => (node?.dataset.w || "").split(" ").filter(Boolean);
  const parts = (span) => span.split(".").map((part) => part.split("-").map(Number));
  const own = (mark) => keys(mark).slice(0, 1);
  // What servers mark, and the ends of relations that none of them marks.
  const marksOf = (names) => names.flatMap((name) => [...article.querySelectorAll(`:is(${MARK}, .end)[data-w~="${CSS.escape(name)}"]`)]);
  const isOf = (names) => (mark) => mark.id && names.includes(own(mark)[0]);
  const firstOf = (names) => {
    const all = marksOf(names);
    return all.find(isOf(names)) || all.find((mark) => mark.id);
  };
  const rows = () => [...article.querySelectorAll("#rows > li")];
  const handle = (row) => row.querySelector("a.choose") || row.querySelector("summary");

  // Tab stops: one mention in the text, and the links of one row in the list

  const stand = (mark) => {
    if (current) current.tabIndex = -1;
    current = mark;
    if (mark) mark.tabIndex = 0;
  };

  const rove = (row) => {
    for (const other of rows()) {
      for (const stop of other.querySelectorAll("a, summary")) stop.tabIndex = other === row ? 0 : -1;
    }
  };

  const gather = () => {
    marks = [...article.querySelectorAll(`${MARK}[id]`)];
    for (const mark of marks) mark.tabIndex = -1;
    current = null;
    stand(marks.find((mark) => mark === document.activeElement) || marks.find((mark) => mark.classList.contains("on")) || marks[0]);
  };

  // Highlighting

  const light = (names) => {
    for (const other of article.querySelectorAll(":is(.mark, .end).same-entity")) other.classList.remove("same-entity");
    for (const other of marksOf(names)) other.classList.add("same-entity");
    for (const row of rows()) row.classList.toggle("same-entity", names.length > 0 && keys(row).some((name) => names.includes(name)));
  };

  const choose = (names, span) => {
    for (const other of article.querySelectorAll(":is(.mark, .end).on")) other.classList.remove("on");
    for (const other of marksOf(names)) other.classList.add("on");
    if (!span) return;
    const within = ([from, to]) => parts(span).some(([start, end]) => from >= start && to <= end);
    for (const mark of marks) if (parts(mark.id.slice(1)).every(within)) mark.classList.add("on");
  };

  const chosenSpan = () => new URL(article.dataset.live, location.href).searchParams.get("mention") || "";
  const markAt = (span) => document.getElementById(`m${span}`) || article.querySelector(`${MARK}[data-m="${CSS.escape(span)}"]`);

  const show = (node, frames = 5) => {
    if (!node) return;
    node.scrollIntoView({ block: "center" });
    // Passages have only an estimated height until they are rendered, so scroll again after they are.
    if (frames) requestAnimationFrame(() => show(node, frames - 1));
  };

  const showRow = () => {
    const browser = document.getElementById("article-browser");
    const row = article.querySelector("#rows > li.on");
    if (!row || browser.scrollHeight <= browser.clientHeight) return;
    const [outer, inner] = [browser.getBoundingClientRect(), row.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) browser.scrollTop += inner.top - outer.top - outer.height / 3;
  };

  // Update the link of a mention to the current query parameters, as the text is not reloaded with them.
  const refresh = (mark) => {
    const here = new URL(article.dataset.live, location.href).searchParams;
    here.set("mention", mark.id.slice(1) || mark.dataset.m);
    for (const name of ["beside", "page", "relation"]) here.delete(name);
    mark.href = `?${here}#mention`;
  };

  // Keyboard shortcuts

  const step = (from, by) => {
    const place = marks.indexOf(from.id ? from : markAt(from.dataset.m));
    return marks[Math.min(Math.max(place + by, 0), marks.length - 1)];
  };

  const sameName = (from, by) => {
    const some = marksOf(own(from)).filter(isOf(own(from)));
    return some[(some.indexOf(from) + by + some.length) % some.length];
  };

  const inText = (mark, key) => {
    const by = { ArrowRight: 1, ArrowDown: 1, j: 1, ArrowLeft: -1, ArrowUp: -1, k: -1 }[key];
    const target = by ? step(mark, by) : { Home: marks[0], End: marks.at(-1), n: sameName(mark, 1), p: sameName(mark, -1) }[key];
    if (key === "l") return toList(own(mark));
    target?.focus();
    target?.scrollIntoView({ block: "nearest" });
    return Boolean(target);
  };

  const inList = (row, key) => {
    const all = rows();
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key];
    const target = by ? all[Math.min(Math.max(all.indexOf(row) + by, 0), all.length - 1)] : { Home: all[0], End: all.at(-1) }[key];
    if (key === "t") return toText(keys(row));
    if (target) handle(target).focus();
    return Boolean(target);
  };

  const toList = (names) => {
    const all = rows();
    const row = all.find((one) => keys(one).some((name) => names.includes(name))) || all.find((one) => one.classList.contains("on")) || all[0];
    if (row) handle(row).focus();
    return Boolean(row);
  };

  const toText = (names) => {
    const mark = firstOf(names) || current;
    mark?.focus();
    mark?.scrollIntoView({ block: "center" });
    return Boolean(mark);
  };

  const close = () => {
    const link = article.querySelector("#mention .close a");
    if (!link) return false;
    focusText();
    link.click();
    return true;
  };

  // When the card closes, a reader in it goes on at the mention in the text.
  const focusText = () => {
    if (document.activeElement.closest("#mention")) (markAt(chosenSpan()) || current)?.focus({ preventScroll: true });
  };

  const onKey = (key, node) => {
    if (key === "Escape") return close();
    if (key === "?") return help.showModal() ?? true;
    if (key === "c") return article.querySelector("#mention .close a")?.focus() ?? true;
    const mark = node.closest(MARK);
    if (mark) return inText(mark, key);
    const row = node.closest("#rows > li");
    if (row) return inList(row, key);
    if (key === "t") return toText(marks.length && chosenSpan() ? own(markAt(chosenSpan())) : []);
    return key === "l" && toList([]);
  };

  article.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    if (region(event.target) && onKey(event.key, event.target)) event.preventDefault();
  });

  // Pointer and focus

  const point = (event) => {
    const mark = event.target.closest(MARK);
    const words = mark || event.target.closest("#rows > li");
    if (mark) mark.title = `${mark.dataset.c} of ${article.dataset.looked} server${article.dataset.looked === "1" ? "" : "s"}${mark.dataset.t ? `, ${mark.dataset.t}` : ""}`;
    light(mark ? own(mark) : keys(words));
  };

  article.addEventListener("pointerover", point);
  article.addEventListener("pointerleave", () => light([]));
  article.addEventListener("focusin", (event) => {
    point(event);
    const mark = event.target.closest(MARK);
    if (mark) {
      stand(mark.id ? mark : markAt(mark.dataset.m));
      refresh(mark);
    }
    const row = event.target.closest("#rows > li");
    if (row) rove(row);
  });
  article.addEventListener("pointerdown", (event) => {
    const mark = event.target.closest(MARK);
    if (mark) refresh(mark);
  });
  article.addEventListener("click", (event) => {
    if (event.target.closest("[data-keys]")) help.showModal();
  });

  article.addEventListener("live:visit", (event) => {
    const { link } = event.detail;
    choosing = "";
    going = link.hash.startsWith("#m");
    if (link.matches(MARK)) {
      choose(own(link), link.id.slice(1) || link.dataset.m);
      choosing = "row";
    } else if (link.hash.startsWith("#m") && link.hash !== "#mention") {
      show(markAt(link.hash.slice(2)));
    } else if (link.matches("a.choose")) {
      show(firstOf(keys(link.closest("li"))));
    }
  });

  article.addEventListener("live:back", () => {
    choosing = "";
    focusText();
  });

  // The page keeps the rows that a choice does not change.
  const chooseRows = () => {
    const chosen = (document.getElementById("rows")?.dataset.on || "").split(" ");
    for (const row of rows()) row.classList.toggle("on", chosen.includes(row.querySelector("details").id));
  };

  const settle = () => {
    chooseRows();
    choose((article.dataset.on || "").split(" ").filter(Boolean), chosenSpan());
    rove(document.activeElement?.closest("#rows > li") || rows().find((row) => row.classList.contains("on")) || rows()[0]);
    for (const button of article.querySelectorAll("[data-keys]")) button.hidden = false;
    linkPortions();
  };

  // A long text comes in portions: the next one when the reader comes near the end of those that are here.

  const RETRY_SECONDS = 5;
  let bringing = false;

  const portionsNavs = () => [...article.querySelectorAll("nav.portions")];

  // The links keep what the reader has chosen since the page was opened, apart from what is chosen in the text.
  const linkPortions = () => {
    for (const link of article.querySelectorAll("nav.portions a")) {
      const address = new URL(link.href);
      const portion = address.searchParams.get("portion");
      address.search = new URL(article.dataset.live, location.href).search;
      for (const name of ["mention", "beside", "relation", "page"]) address.searchParams.delete(name);
      address.searchParams.set("portion", portion);
      link.href = `${address.search}${address.hash}`;
    }
  };

  const say = (words) => {
    for (const nav of portionsNavs()) nav.querySelector(".meta").textContent = words;
  };

  const append = (nav, fresh, after, first) => {
    const focused = nav.contains(document.activeElement);
    article.querySelector(".abstract").append(...fresh.querySelectorAll(".abstract > *"));
    after.dataset.first = first;
    after.querySelector("a[rel=prev]").remove();
    nav.replaceWith(after);
    say(`Portions ${first} to ${after.dataset.last} of ${after.dataset.count}`);
    if (focused) after.querySelector("a").focus({ preventScroll: true });
  };

  const bringNext = async (nav) => {
    const link = nav.querySelector("a[rel=next]");
    const kept = article.dataset.keep || "";
    const [text, first, last] = kept.split("-");
    if (!link || bringing) return;
    bringing = true;
    let wait = 0;
    try {
      const reply = await fetch(link.href);
      wait = reply.ok ? 0 : Number(reply.headers.get("Retry-After")) || RETRY_SECONDS;
      const html = reply.ok ? await reply.text() : "";
      // What the reader has chosen meanwhile can have changed the portions.
      if (wait || !nav.isConnected || article.dataset.keep !== kept) return;
      const fresh = new DOMParser().parseFromString(html, "text/html").getElementById("article");
      const after = [...(fresh?.querySelectorAll("nav.portions") || [])].pop();
      // If the marks have changed meanwhile, the page is brought up to date first.
      if (!after || fresh.dataset.keep !== `${text}-${after.dataset.last}-${after.dataset.last}` || Number(after.dataset.last) !== Number(last) + 1) return;
      append(nav, fresh, after, first);
      article.dataset.keep = `${text}-${first}-${after.dataset.last}`;
      remember(`${first}-${after.dataset.last}`);
      gather();
      settle();
      watchEnd();
    } catch {
      wait = RETRY_SECONDS;
    } finally {
      bringing = false;
      if (wait) {
        say(`The next portion could not be loaded. Trying again in ${wait} s.`);
        setTimeout(watchEnd, 1000 * wait);
      }
    }
  };

  // A reload, a link and what the page is updated with show the same portions.
  const remember = (portion) => {
    const live = new URL(article.dataset.live, location.href);
    live.searchParams.set("portion", portion);
    article.dataset.live = `${live.pathname}${live.search}`;
    const shown = new URL(location.href);
    shown.searchParams.set("portion", portion);
    history.replaceState(history.state, "", shown);
  };

  const ends = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => bringNext(entry.target)), { rootMargin: "1500px" });

  const watchEnd = () => {
    ends.disconnect();
    const nav = portionsNavs().pop();
    if (nav) ends.observe(nav);
  };

  article.addEventListener("live:swapped", (event) => {
    if (event.detail.whole) {
      gather();
      watchEnd();
      if (going) show(markAt(chosenSpan()));
    }
    going = false;
    settle();
    if (choosing) showRow();
    choosing = "";
  });
  gather();
  settle();
  showRow();
  watchEnd();

  // A link shows what is selected in the text. A reload and Back return to where the reader was.
  const selected = markAt(chosenSpan()) || article.querySelector(":is(.mark, .end).on");
  const isInSight = (mark) => {
    const { left, top, width, height } = mark.getBoundingClientRect();
    const above = document.elementFromPoint(left + width / 2, top + height / 2);
    return Boolean(above) && (mark.contains(above) || above.contains(mark));
  };
  const isFollowed = performance.getEntriesByType("navigation")[0]?.type === "navigate";
  if (selected && isFollowed && !location.hash && !isInSight(selected)) show(selected);
})();
