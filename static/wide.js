// Marks a wide table or chart with the sides on which there is more, for its style. Without this script, it scrolls all the same.
"use strict";

(() => {
  const mark = (box) => {
    box.classList.toggle("more-before", box.scrollLeft > 1);
    box.classList.toggle("more-after", box.scrollWidth - box.clientWidth - box.scrollLeft > 1);
  };
  const sizes = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target.closest(".scroll"))));
  const watch = () => document.querySelectorAll(".scroll").forEach((box) => {
    sizes.observe(box);
    if (box.firstElementChild) sizes.observe(box.firstElementChild);
  });

  document.addEventListener("scroll", (event) => {
    if (event.target instanceof Element && event.target.classList.contains("scroll")) mark(event.target);
  }, { capture: true, passive: true });
  // Parts of the page are replaced as they change (live.js).
  new MutationObserver(watch).observe(document.getElementById("main"), { childList: true, subtree: true });
  watch();
})();
