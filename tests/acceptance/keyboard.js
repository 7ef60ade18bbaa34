// What somebody without a pointer cannot do on this page, in sentences. Whatever can be pressed, chosen or filled in takes
// the focus and shows it; where the arrow keys walk along, one stop of the Tab key stands for all.
() => {
  const STOPS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex], [onclick]";
  const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled;
  const words = (element) => (element.textContent || element.name || element.id).trim().slice(0, 40);
  const shown = ({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  const walked = (element) => element.closest("#rows, #article")?.querySelector("[tabindex='0']");
  // Where a script or a link may put the focus, and which nobody has to reach.
  const target = (element) => element.tabIndex < 0 && !element.matches("a, button, input, select, textarea, summary");
  const faults = [];
  if (!document.querySelector(STOPS).matches("a.skip")) faults.push("the first stop is not the link past the head");
  for (const element of document.querySelectorAll(STOPS)) {
    if (!seen(element) || target(element)) continue;
    const say = (fault) => faults.push(`${element.tagName.toLowerCase()} "${words(element)}" ${fault}`);
    if (element.tabIndex > 0) say("jumps the order of the page");
    if (element.tabIndex < 0 && !walked(element)) say("is out of reach of the Tab key");
    element.focus();
    if (document.activeElement !== element) say("takes no focus");
    else if (!shown(getComputedStyle(element))) say("does not show the focus");
  }
  document.activeElement.blur();
  return faults;
}
