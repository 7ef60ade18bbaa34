// The timer of a curation, as the server keeps it: it stops while the page is hidden, and LONGEST minutes after it was
// started or a decision was made. Without this script, the page shows the time before it was opened.
//
// <form data-sight hidden method="post" action="..."> is sent when the page is hidden or shown. <span role="timer"
// data-seconds="83" data-longest="600"> shows the minutes, and the element beside it that the timer is paused. A timer
// without data-longest does not run. The event "curation:decided" starts it again.
"use strict";

(() => {
  const sight = document.querySelector("form[data-sight]");
  if (!sight) return;

  // Reports arrive in their order.
  let lastReport = Promise.resolve();
  const reportSight = () => {
    const body = new FormData(sight);
    body.set("sight", document.hidden ? "out" : "in");
    lastReport = lastReport.then(() => fetch(sight.action, { method: "POST", body, keepalive: true }).catch(() => {}));
  };
  document.addEventListener("visibilitychange", reportSight);
  if (document.hidden) reportSight();

  const timer = document.querySelector("[role=timer][data-longest]");
  if (!timer) return;
  const paused = timer.nextElementSibling;
  const longest = Number(timer.dataset.longest);
  let counted = Number(timer.dataset.seconds);
  let started = document.hidden ? null : performance.now();

  const measureElapsed = () => (started === null ? 0 : (performance.now() - started) / 1000);
  const show = () => {
    const elapsed = measureElapsed();
    const words = `${Math.floor((counted + Math.min(elapsed, longest)) / 60)} min`;
    if (timer.textContent !== words) timer.textContent = words;
    paused.hidden = elapsed < longest;
  };
  const restart = () => {
    counted += Math.min(measureElapsed(), longest);
    started = document.hidden ? null : performance.now();
    show();
  };
  document.addEventListener("visibilitychange", restart);
  document.addEventListener("curation:decided", restart);
  setInterval(show, 1000);
})();
