/* Puts the annotations of an article where the script tag is: <script src="…/widget/v1.js" data-pmid="…" async></script>.
   It makes one frame, and takes nothing from that frame but its height. */
(() => {
  "use strict";
  const tag = document.currentScript;
  const ident = tag && (tag.dataset.pmid || tag.dataset.article);
  if (!ident) return;
  const LEAST = 60, MOST = 5000;
  const frame = document.createElement("iframe");
  frame.src = new URL(`articles/${encodeURIComponent(ident.trim())}/`, tag.src).href;
  frame.title = "Annotations of this article";
  frame.loading = "lazy";
  frame.referrerPolicy = "no-referrer";
  frame.setAttribute("sandbox", "allow-scripts allow-popups allow-popups-to-escape-sandbox");
  Object.assign(frame.style, {display: "block", width: "100%", height: "320px", border: "0", colorScheme: "light dark"});
  addEventListener("message", event => {
    // A sandboxed page has the origin "null", and so has many another: only the one in this frame counts.
    if (event.source !== frame.contentWindow || event.origin !== "null") return;
    const height = event.data && event.data.bcmsWidgetHeight;
    if (Number.isFinite(height)) frame.style.height = `${Math.min(MOST, Math.max(LEAST, Math.ceil(height)))}px`;
  });
  tag.after(frame);
})();
