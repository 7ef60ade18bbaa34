/* In the frame of the widget: tells the page around it how high it is. It listens to nobody. */
(() => {
  "use strict";
  const tell = () => parent.postMessage({bcmsWidgetHeight: document.documentElement.getBoundingClientRect().height}, "*");
  new ResizeObserver(tell).observe(document.documentElement);
})();
