// Keys of the judging page: y, n and b decide about the passage that is current, the arrows move. Without this script
// the buttons and links do the same.
"use strict";

(() => {
  const page = document.querySelector("[data-judge]");
  if (!page) return;
  const passages = [...page.querySelectorAll(".passage")];
  const undecided = (from) => passages.slice(from).find((passage) => passage.dataset.decided === "no");
  let current = null;

  const stand = (passage) => {
    if (!passage) return;
    current?.classList.remove("current");
    current = passage;
    current.classList.add("current");
    current.focus({ preventScroll: true });
    current.scrollIntoView({ block: "nearest" });
  };

  // After a decision the next passage that needs one, and when there is none the one that was decided. The address names
  // a paragraph in it, which takes no focus.
  const target = document.getElementById(location.hash.slice(1))?.closest(".passage");
  const decided = passages.indexOf(target);
  stand(undecided(decided + 1) || undecided(0) || passages[Math.max(decided, 0)]);

  const step = (by) => stand(passages[passages.indexOf(current) + by]);
  const follow = (selector) => page.querySelector(selector)?.click();
  const moves = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    ArrowRight: () => follow("a[rel=next]"),
    ArrowLeft: () => follow("a[rel=prev]"),
    u: () => follow("a[data-undecided]"),
  };

  let under = false;
  page.addEventListener("submit", (event) => {
    if (under) event.preventDefault();
    under = true;
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  page.addEventListener("focusin", (event) => {
    const passage = event.target.closest(".passage");
    if (passage && passage !== current) {
      current?.classList.remove("current");
      current = passage;
      current.classList.add("current");
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input, textarea, select, .reading-text")) return;
    const button = current?.querySelector(`button[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    const move = moves[event.key];
    if (!move && (!button || button.disabled)) return;
    event.preventDefault();
    if (button) button.click();
    else move();
  });
})();
