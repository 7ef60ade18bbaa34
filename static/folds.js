// Keeps in the address which folded parts of the page are open (?open=why.cite-1), so that a link shows the same. The
// server opens those that the address names. Back and Forward open what was open there, and close nothing.
// Parts with data-needed are open whatever the address says.
"use strict";

(() => {
  const NAME = "open";
  // The server reads 500 characters.
  const MOST = 40;
  const main = document.getElementById("main");
  const live = document.querySelector("[data-live]");

  const read = (address) => new URL(address, location.href).searchParams.get(NAME) || "";

  const write = (address, ids) => {
    const url = new URL(address, location.href);
    if (ids) url.searchParams.set(NAME, ids);
    else url.searchParams.delete(NAME);
    return url;
  };

  const keepInLive = (ids) => {
    if (!live || read(live.dataset.live) === ids) return;
    const url = write(live.dataset.live, ids);
    live.dataset.live = `${url.pathname}${url.search}`;
  };

  const keep = () => {
    const ids = [...main.querySelectorAll("details[id][open]:not([data-needed])")].map((fold) => fold.id).slice(0, MOST).join(".");
    if (read(location.href) !== ids) history.replaceState(history.state, "", write(location.href, ids));
    keepInLive(ids);
  };

  main.addEventListener("toggle", keep, true);
  main.addEventListener("live:swapped", keep, true);
  main.addEventListener("live:popstate", () => {
    const ids = read(location.href).split(".").filter(Boolean);
    for (const id of ids) document.getElementById(id)?.setAttribute("open", "");
    keepInLive([...new Set([...read(live.dataset.live).split("."), ...ids])].filter(Boolean).join("."));
  }, true);
})();
