// Charts: the values of the mark that is pointed at, and a large view to zoom. Without this script, marks have titles.
//
// A mark is an element of an <svg> with a <title>, whose first line is a heading. A line is a group with data-points
// (bcms/lib/svg/series_lines.py), each of which is a mark. So is a cell of a table with data-heat and a title. The arrow
// keys lead from mark to mark in a chart of a <figure>, Escape hides the values. Whatever has data-enlarge shows the
// chart of its <figure> as large as the window.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  // In pixels: between a mark and its values, and between those and the edge of the window.
  const GAP = 8;
  const EDGE = 4;
  // In units of the drawing: how far from a mark it is meant.
  const NEAR = 24;
  // How many times a chart can be enlarged.
  const MOST = 16;

  const make = (name, values) => Object.assign(document.createElement(name), values);
  const tip = make("div", { className: "tip", hidden: true });
  tip.setAttribute("role", "status");
  const ring = document.createElementNS(SVG, "path");
  ring.setAttribute("class", "pointed");

  // Of each chart its groups of marks: {element, marks: [{element, text, x, y, width, height}], frame}
  const known = new WeakMap();
  let shown = null;
  let last = null;
  let byKey = false;

  const toUnits = (element, { clientX, clientY }) => new DOMPoint(clientX, clientY).matrixTransform(element.getScreenCTM().inverse());

  // The browser would show titles as well.
  const takeTitles = (svg) => {
    for (const title of svg.querySelectorAll(":not(text) > title")) {
      const parent = title.parentNode;
      if (!parent.matches("svg, [role]")) {
        parent.dataset.tip = title.textContent;
        title.remove();
        continue;
      }
      const description = document.createElementNS(SVG, "desc");
      description.append(title.textContent);
      if (title.id) description.id = title.id;
      else parent.setAttribute("aria-label", title.textContent);
      title.replaceWith(description);
    }
  };

  const readAxis = (text) => {
    const [start, end, low, high] = text.split(" ").map(Number);
    const scale = text.endsWith("log") ? Math.log : Number;
    const place = (value) => start + ((end - start) * (scale(Math.min(Math.max(value, low), high)) - scale(low))) / (scale(high) - scale(low));
    return { place, ends: [start, end].sort((a, b) => a - b) };
  };

  const readLine = (element) => {
    const { points, labels, xLabel, yLabel, tip: title = "" } = element.dataset;
    const [name, ...notes] = title.split("\n");
    const [across, up] = [element.dataset.x, element.dataset.y].map(readAxis);
    const marks = points.split(" ").map((pair, index) => {
      const [x, y] = pair.split(",");
      const text = [name, labels ? labels.split("|")[index] : `${xLabel}: ${x}`, `${yLabel}: ${y}`, ...notes].filter(Boolean).join("\n");
      return { element, text, x: across.place(x), y: up.place(y), width: 0, height: 0, guide: up.ends };
    });
    return { element, marks, frame: [across.ends, up.ends] };
  };

  const readGroup = (element) => {
    if (element.dataset.points) return readLine(element);
    const { x, y, width, height } = element.getBBox();
    return { element, marks: [{ element, text: element.dataset.tip, x, y, width, height }] };
  };

  const readGroups = (svg) => {
    if (!known.has(svg)) {
      takeTitles(svg);
      known.set(svg, [...svg.querySelectorAll("[data-tip], [data-points]")].map(readGroup));
    }
    return known.get(svg);
  };

  const measure = (at, start, size) => Math.max(start - at, 0, at - start - size);
  const isInside = (at, [start, end]) => at > start - NEAR && at < end + NEAR;

  // Along a line, the point beside the pointer, however high; of marks that stand alone, one that is near.
  const findMark = (svg, event) => {
    let [best, least] = [null, Infinity];
    for (const { element, marks, frame } of readGroups(svg)) {
      const at = toUnits(element, event);
      if (frame && !(isInside(at.x, frame[0]) && isInside(at.y, frame[1]))) continue;
      let [nearest, score, distance] = [null, Infinity, 0];
      for (const mark of marks) {
        const [dx, dy] = [measure(at.x, mark.x, mark.width), measure(at.y, mark.y, mark.height)];
        if (Math.round(dx) * 1e4 + dy < score) [nearest, score, distance] = [mark, Math.round(dx) * 1e4 + dy, Math.hypot(dx, dy)];
      }
      if (element.contains(event.target)) distance = -1;
      if (distance < least && (frame || distance < NEAR)) [best, least] = [nearest, distance];
    }
    return best;
  };

  const measureBox = ({ element, x, y, width, height }) => {
    if (x === undefined) return element.getBoundingClientRect();
    const matrix = element.getScreenCTM();
    const [start, end] = [new DOMPoint(x, y), new DOMPoint(x + width, y + height)].map((corner) => corner.matrixTransform(matrix));
    return { left: start.x, top: start.y, right: end.x, bottom: end.y };
  };

  const drawRing = ({ element, x, y, width, height, guide }) => {
    if (x === undefined) return;
    const round = guide || element.tagName === "circle";
    const [across, down] = [width / 2 + (guide ? 5 : 3), height / 2 + 3];
    const [left, middle] = [x + width / 2 - across, y + height / 2];
    const line = guide ? `M${x} ${guide[0]}V${y - across}M${x} ${y + across}V${guide[1]}` : "";
    ring.setAttribute("d", line + (round
      ? `M${left} ${middle}a${across} ${across} 0 1 0 ${2 * across} 0a${across} ${across} 0 1 0 ${-2 * across} 0z`
      : `M${left} ${middle - down}h${2 * across}v${2 * down}h${-2 * across}z`));
    (element.tagName === "g" ? element : element.parentNode).append(ring);
  };

  const hide = () => {
    tip.hidden = true;
    ring.remove();
  };

  const show = (mark, event) => {
    [shown, last, byKey] = [mark, mark, !event];
    const [heading, ...lines] = mark.text.split("\n");
    tip.replaceChildren(make("b", { textContent: heading }), ...lines.map((line) => make("div", { textContent: line })));
    const drawn = mark.element.querySelector(".line, .mark, .column");
    tip.style.setProperty("--series", drawn ? getComputedStyle(drawn).stroke : "");
    (mark.element.closest("dialog") || document.body).append(tip);
    tip.hidden = false;
    drawRing(mark);
    // On the other side of the mark than the pointer, which can then reach the values.
    const [box, { width, height }] = [measureBox(mark), tip.getBoundingClientRect()];
    const above = box.top - GAP - height;
    const below = box.bottom + GAP;
    const wanted = event && event.pointerType === "mouse" && event.clientY < (box.top + box.bottom) / 2 ? below : above;
    const other = wanted === above ? below : above;
    const fits = (top) => top >= EDGE && top + height <= innerHeight - EDGE;
    const top = fits(wanted) || !fits(other) ? wanted : other;
    const left = (box.left + box.right - width) / 2;
    const clamp = (value, size, room) => Math.max(EDGE, Math.min(value, room - size - EDGE));
    tip.style.left = `${clamp(left, width, document.documentElement.clientWidth)}px`;
    tip.style.top = `${clamp(top, height, innerHeight)}px`;
  };

  const takeCell = (cell) => {
    if (cell.title) {
      known.set(cell, { element: cell, text: cell.title });
      cell.setAttribute("aria-description", cell.title);
      cell.removeAttribute("title");
    }
    return known.get(cell);
  };

  const point = (event) => {
    if (!(event.target instanceof Element) || tip.contains(event.target)) return;
    const svg = event.target.closest("svg");
    const cell = event.target.closest("td[data-heat]");
    const mark = svg ? findMark(svg, event) : cell && takeCell(cell);
    // What Escape has hidden stays so until another mark is pointed at.
    if (mark === shown) return;
    if (mark) return show(mark, event);
    if (byKey && event.type === "pointermove") return;
    hide();
    shown = null;
  };

  // To the next mark, or to the same place of the next line
  const walk = (svg, key) => {
    const groups = readGroups(svg);
    const marks = groups.flatMap((group) => group.marks);
    const at = marks.indexOf(shown);
    if (!marks.length) return null;
    if (key === "End") return marks.at(-1);
    if (key === "Home" || at < 0) return marks[0];
    if (key === "ArrowRight" || key === "ArrowLeft") return marks[at + (key === "ArrowRight" ? 1 : -1)] || shown;
    const next = groups[groups.findIndex((group) => group.marks.includes(shown)) + (key === "ArrowDown" ? 1 : -1)];
    const distance = (mark) => Math.abs(mark.x - shown.x);
    return next ? next.marks.reduce((best, mark) => (distance(mark) < distance(best) ? mark : best)) : shown;
  };

  const dialog = make("dialog", { className: "zoom" });
  const heading = make("h2");
  const bar = make("div", { className: "toolbar" });
  const touches = new Map();
  let large = null;
  let whole = null;

  // The values that were called by key stay at their mark.
  const follow = () => {
    if (byKey && !tip.hidden && shown.element.isConnected) return show(shown);
    hide();
    shown = null;
  };

  const frameView = (x, y, width) => {
    const height = (whole.height * width) / whole.width;
    const clamp = (value, start, room) => Math.max(start, Math.min(value, start + room));
    const [left, top] = [clamp(x, whole.x, whole.width - width), clamp(y, whole.y, whole.height - height)];
    large.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
    follow();
  };

  const getView = () => large.viewBox.baseVal;
  const reset = () => frameView(whole.x, whole.y, whole.width);
  const move = (dx, dy) => frameView(getView().x + dx, getView().y + dy, getView().width);

  const locate = (mark) => {
    const box = measureBox(mark);
    return toUnits(large, { clientX: (box.left + box.right) / 2, clientY: (box.top + box.bottom) / 2 });
  };
  const isSeen = ({ x, y }) => {
    const view = getView();
    return x >= view.x && x <= view.x + view.width && y >= view.y && y <= view.y + view.height;
  };

  // Around the mark whose values were shown last, or around the middle
  const findCentre = () => {
    const view = getView();
    const at = last && large.contains(last.element) && locate(last);
    return at && isSeen(at) ? at : { x: view.x + view.width / 2, y: view.y + view.height / 2 };
  };

  const zoom = (factor, at = findCentre()) => {
    const { x, y, width } = getView();
    const wanted = Math.min(Math.max(width / factor, whole.width / MOST), whole.width);
    frameView(at.x - ((at.x - x) * wanted) / width, at.y - ((at.y - y) * wanted) / width, wanted);
  };

  const reveal = (mark) => {
    const [at, { width, height }] = [locate(mark), getView()];
    if (!isSeen(at)) frameView(at.x - width / 2, at.y - height / 2, width);
  };

  const STEP = 1.5;
  const COMMANDS = { "+": () => zoom(STEP), "=": () => zoom(STEP), "-": () => zoom(1 / STEP), 0: reset };
  const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  const press = ({ key, shiftKey }) => {
    const command = COMMANDS[key];
    const [dx, dy] = (shiftKey && DIRECTIONS[key]) || [];
    if (command) command();
    else if (dx !== undefined) move((dx * getView().width) / 4, (dy * getView().height) / 4);
    else return false;
    return true;
  };

  // One finger, or the mouse, moves the view; two also zoom.
  const measureTouches = () => {
    const all = [...touches.values()];
    const [one, two] = [all[0], all.at(-1)];
    const spread = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY) || 1;
    return { clientX: (one.clientX + two.clientX) / 2, clientY: (one.clientY + two.clientY) / 2, spread };
  };
  const drag = (event) => {
    if (!touches.has(event.pointerId)) return;
    const before = measureTouches();
    touches.set(event.pointerId, event);
    const after = measureTouches();
    // A finger on the whole chart points at marks.
    if (touches.size === 1 && getView().width === whole.width) return;
    event.stopPropagation();
    const from = toUnits(large, before);
    zoom(after.spread / before.spread, from);
    const to = toUnits(large, after);
    move(from.x - to.x, from.y - to.y);
  };
  const listen = (svg) => {
    svg.addEventListener("pointerdown", (event) => {
      touches.set(event.pointerId, event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", drag);
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, (event) => touches.delete(event.pointerId));
    svg.addEventListener("dblclick", reset);
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), toUnits(svg, event));
    }, { passive: false });
  };

  const enlarge = (source) => {
    hide();
    takeTitles(source);
    const name = source.querySelector("desc").textContent;
    large = source.cloneNode(true);
    // Names and patterns are those of the page.
    for (const element of [large, ...large.querySelectorAll("[id]")]) element.removeAttribute("id");
    for (const attribute of ["width", "height", "preserveAspectRatio", "aria-labelledby"]) large.removeAttribute(attribute);
    large.setAttribute("aria-label", name);
    listen(large);
    const { x, y, width, height } = getView();
    whole = { x, y, width, height };
    heading.textContent = name;
    dialog.setAttribute("aria-label", name);
    dialog.replaceChildren(bar, large);
    document.body.append(dialog);
    dialog.showModal();
    large.focus();
  };

  const addButton = (text, label, act) => {
    const button = make("button", { type: "button", textContent: text });
    button.setAttribute("aria-label", label);
    button.addEventListener("click", act);
    bar.append(button);
  };
  bar.append(heading);
  addButton("−", "Zoom out", COMMANDS["-"]);
  addButton("+", "Zoom in", COMMANDS["+"]);
  addButton("Reset", "Reset", reset);
  addButton("Close", "Close", () => dialog.close());
  dialog.addEventListener("close", () => {
    hide();
    touches.clear();
    dialog.remove();
  });

  const KEYS = [...Object.keys(DIRECTIONS), "Home", "End"];
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !tip.hidden) {
      hide();
      event.preventDefault();
    }
    const chart = event.target;
    if (!(chart instanceof SVGSVGElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (chart === large && press(event)) return event.preventDefault();
    const mark = KEYS.includes(event.key) && !event.shiftKey && walk(chart, event.key);
    if (!mark) return;
    event.preventDefault();
    if (chart === large) reveal(mark);
    show(mark);
  });

  let focused = null;
  document.addEventListener("focusin", ({ target }) => {
    focused = target instanceof SVGSVGElement ? target : null;
    const first = focused?.matches(":focus-visible") && walk(focused, "Home");
    if (first) show(first);
  });
  document.addEventListener("focusout", () => {
    if (byKey) hide();
  });

  document.addEventListener("pointermove", point);
  document.addEventListener("pointerdown", point);
  document.documentElement.addEventListener("pointerleave", (event) => byKey || event.pointerType !== "mouse" || follow());
  window.addEventListener("scroll", follow, { capture: true, passive: true });
  window.addEventListener("resize", follow);

  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-enlarge]");
    if (!opener || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    enlarge(opener.closest("figure").querySelector("svg"));
  });

  const getName = (svg) => svg.getAttribute("aria-labelledby") || svg.getAttribute("aria-label");
  const prepare = () => document.querySelectorAll("figure svg").forEach((svg) => {
    takeTitles(svg);
    svg.tabIndex = 0;
  });
  prepare();
  // Parts of the page are replaced as they change (live.js).
  document.addEventListener("live:swapped", () => {
    prepare();
    if (shown && !shown.element.isConnected) follow();
    if (focused && !focused.isConnected) [...document.querySelectorAll("figure svg")].find((svg) => getName(svg) === getName(focused))?.focus({ preventScroll: true });
  }, true);
})();
