// On the article page: the focus or the pointer on a marked word shows at once where the same name stands elsewhere, and
// a word that keeps the focus for a moment is chosen as if it was clicked. Works by links alone without this script.
"use strict";

(() => {
  const article = document.getElementById("article");
  if (!article) return;
  let timer = 0;

  const light = (mark) => {
    for (const other of article.querySelectorAll(".mark.same")) other.classList.remove("same");
    if (!mark) return;
    for (const other of article.querySelectorAll(`.mark[data-name="${mark.dataset.name}"]`)) other.classList.add("same");
  };

  article.addEventListener("pointerover", (event) => light(event.target.closest("a.mark")));
  article.addEventListener("pointerleave", () => light(null));
  article.addEventListener("focusin", (event) => {
    const mark = event.target.closest("a.mark");
    clearTimeout(timer);
    if (!mark) return;
    light(mark);
    if (mark.matches(":focus-visible") && !mark.classList.contains("on")) timer = setTimeout(() => mark.isConnected && mark.click(), 250);
  });
})();
