// Keyboard shortcuts of the judging page: y, n and b decide about the current passage, the arrow keys move. Without this
// script, the buttons and links do the same.
"use strict";

(() => {
  const page = document.querySelector("[data-judge]");
  if (!page) return;
  const passages = [...page.querySelectorAll(".passage")];
  const findUndecided = (from) => passages.slice(from).find((passage) => passage.dataset.decided === "no");
  let current = null;

  const select = (passage) => {
    if (!passage) return;
    current?.classList.remove("current");
    current = passage;
    current.classList.add("current");
    current.focus({ preventScroll: true });
    current.scrollIntoView({ block: "nearest" });
  };

  // After a decision, go to the next undecided passage, or stay on the decided one if there is none. The URL fragment
  // is the id of a paragraph in the decided passage, which cannot have the focus itself.
  const target = document.getElementById(location.hash.slice(1))?.closest(".passage");
  const decided = passages.indexOf(target);
  select(findUndecided(decided + 1) || findUndecided(0) || passages[Math.max(decided, 0)]);

  const step = (by) => select(passages[passages.indexOf(current) + by]);
  const follow = (selector) => page.querySelector(selector)?.click();
  const moves = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    ArrowRight: () => follow("a[rel=next]"),
    ArrowLeft: () => follow("a[rel=prev]"),
    u: () => follow("a[data-undecided]"),
  };

  let isSubmitting = false;
  page.addEventListener("submit", (event) => {
    if (isSubmitting) event.preventDefault();
    isSubmitting = true;
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
    if (event.target.closest("input, textarea, select, .article-text")) return;
    const button = current?.querySelector(`button[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    const move = moves[event.key];
    if (!move && (!button || button.disabled)) return;
    event.preventDefault();
    if (button) button.click();
    else move();
  });
})();
