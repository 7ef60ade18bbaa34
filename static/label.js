// Keyboard shortcuts for labels, and a timer that pauses while the page is hidden. Without this script, the buttons do
// the same, and the timer pauses only when the curator presses Pause.
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

  // A second key press while the form is being submitted must not label the next article.
  let isSubmitting = false;
  page.addEventListener("submit", (event) => {
    if (isSubmitting) event.preventDefault();
    isSubmitting = true;
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });

  const clock = page.querySelector("form[data-clock]");
  if (!clock) return;
  let lastRequest = Promise.resolve();
  const reportVisibility = () => {
    if (isSubmitting) return;
    const body = new FormData(clock);
    body.set("sight", document.hidden ? "out" : "in");
    const send = () => fetch(clock.action, { method: "POST", body, keepalive: true, redirect: "manual" }).catch(() => {});
    lastRequest = lastRequest.then(send);
  };
  document.addEventListener("visibilitychange", reportVisibility);
  // The page is already hidden if it was opened in a background tab.
  if (document.hidden) reportVisibility();
})();
