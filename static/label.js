// Labels by keys, and the clock stands while the page is out of sight. Without this script the buttons do the same, and
// the clock stands when the curator pauses.
"use strict";

(() => {
  const page = document.querySelector("[data-labelling]");
  if (!page) return;

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    const button = page.querySelector(`button[data-press="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!button || button.disabled) return;
    event.preventDefault();
    button.click();
  });

  // A second press while the first is under way must not label the next article.
  let under = false;
  page.addEventListener("submit", (event) => {
    if (under) event.preventDefault();
    under = true;
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });

  const clock = page.querySelector("form[data-clock]");
  if (!clock) return;
  let said = Promise.resolve();
  const tellSight = () => {
    if (under) return;
    const body = new FormData(clock);
    body.set("sight", document.hidden ? "out" : "in");
    const tell = () => fetch(clock.action, { method: "POST", body, keepalive: true, redirect: "manual" }).catch(() => {});
    said = said.then(tell);
  };
  document.addEventListener("visibilitychange", tellSight);
  // Opened in a tab behind this one, it is not in sight yet.
  if (document.hidden) tellSight();
})();
