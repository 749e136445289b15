// SPDX-License-Identifier: BSD-2-Clause
// The HTML report's script: zoom, hover, encodes and scores to switch off, and sliders over the worst frames. The page
// says all that it has to say without it. Its data are described in src/report/html_data.c.
"use strict";
(function () {
  const stored = document.getElementById("data"); // a page of images has no curves
  const data = stored ? JSON.parse(stored.textContent) : {frames: [0, 1], encodes: [], keys: []};
  const COLOURS = 7, DASHES = 6, BINS = 40, NARROW = 560, RIGHT_GAP = 24, BAR_WIDTH = 136, LEFT = 56, TOP = 12, FLOOR = 168;
  const BUTTONS = {distorted: "distorted", map: "difference", alpha: "difference of alpha"};
  // One frame has no other number beside its own.
  const whole = {low: data.frames[0], span: data.frames[1] || 0.5};
  const view = {low: whole.low, span: whole.span};
  const shown = data.encodes.map(() => true);
  const panels = [];

  function make(name, attributes, parent, text) {
    const svg = parent instanceof SVGElement;
    const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const key in attributes)
      node.setAttribute(key, attributes[key]);
    if (text !== undefined)
      node.textContent = text;
    parent.appendChild(node);
    return node;
  }

  function style(encode) {
    return "e" + encode % COLOURS + " d" + encode % DASHES;
  }

  // ---- data ----

  function sums(list) {
    let at = 0;
    return list.map(step => at += step);
  }

  function unpack(curve) {
    const n = curve.values.length, frames = curve.frames, times = curve.times;
    curve.at = Array.isArray(frames) ? sums(frames)
                                     : curve.values.map((value, i) => frames.first + i * frames.step);
    curve.n = n;
    const ms = Array.isArray(times) ? sums(times) : null;
    curve.time = i => ms ? ms[i] : times ? times.first + (curve.at[i] - times.frame) * times.step : null;
  }

  // The number of the first point at or behind a frame.
  function behind(curve, frame) {
    let low = 0, high = curve.n;
    while (low < high) {
      const middle = low + high >> 1;
      if (curve.at[middle] < frame)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  function nearest(curve, frame) {
    const i = behind(curve, frame);
    if (i === curve.n)
      return curve.n - 1;
    return i && frame - curve.at[i - 1] <= curve.at[i] - frame ? i - 1 : i;
  }

  function clock(ms) {
    const all = Math.round(Math.abs(ms)), sign = ms < 0 && all ? "-" : "", minutes = Math.floor(all / 60000);
    const pad = (n, digits) => String(n).padStart(digits, "0");
    const hours = minutes >= 60 ? Math.floor(minutes / 60) + ":" + pad(minutes % 60, 2) : String(minutes);
    return sign + hours + ":" + pad(Math.floor(all / 1000) % 60, 2) + "." + pad(all % 1000, 3);
  }

  // ---- drawing ----

  function niceStep(span, most) {
    const least = Math.max(span / most, 1), power = Math.pow(10, Math.floor(Math.log10(least)));
    return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least);
  }

  function geometry(panel) {
    const width = Math.max(panel.svg.parentNode.clientWidth, 240);
    panel.width = width;
    panel.bars = width >= NARROW;
    panel.right = panel.bars ? width - BAR_WIDTH - RIGHT_GAP * 2 : width - 12;
    panel.svg.setAttribute("viewBox", "0 0 " + width + " 196");
  }

  function px(panel, frame) {
    return LEFT + (frame - view.low) / view.span * (panel.right - LEFT);
  }

  function frameAt(panel, x) {
    const part = (x - LEFT) / (panel.right - LEFT);
    return view.low + Math.min(Math.max(part, 0), 1) * view.span;
  }

  function py(panel, value) {
    const part = (value - panel.key.y[0]) / panel.key.y[1];
    return FLOOR - Math.min(Math.max(part, 0), 1) * (FLOOR - TOP);
  }

  function drawAxes(panel, group) {
    const y = panel.key.y, first = Math.ceil(y[0] / y[2] - 1e-9);
    for (let i = first; i * y[2] <= y[0] + y[1] * (1 + 1e-9); i++) {
      const at = py(panel, i * y[2]).toFixed(1);
      make("line", {class: "grid", x1: LEFT, x2: panel.right, y1: at, y2: at}, group);
      make("text", {class: "y", x: LEFT - 8, y: +at + 4}, group, (i * y[2]).toFixed(panel.key.ticks));
    }
    const step = niceStep(view.span, panel.width < NARROW ? 4 : 8);
    for (let at = Math.ceil(view.low / step) * step; at <= view.low + view.span; at += step)
      make("text", {class: "x", x: px(panel, at).toFixed(1), y: FLOOR + 18}, group, at);
  }

  // The points in view and one beyond each end, as parts between gaps.
  function drawCurve(panel, curve, encode, group) {
    const from = Math.max(behind(curve, view.low) - 1, 0);
    const to = Math.min(behind(curve, view.low + view.span) + 1, curve.n);
    const holder = make("g", {"clip-path": "url(#clip-" + panel.number + ")"}, group);
    let points = [];
    const flush = () => {
      if (points.length === 1)
        points.push(points[0]);
      if (points.length)
        make("polyline", {class: "curve " + style(encode), points: points.join(" ")}, holder);
      points = [];
    };
    for (let i = from; i < to; i++) {
      if (curve.values[i] === null)
        flush();
      else
        points.push(px(panel, curve.at[i]).toFixed(1) + "," + py(panel, curve.values[i]).toFixed(1));
    }
    flush();
    if (curve.worst && curve.worst[0] >= view.low && curve.worst[0] <= view.low + view.span)
      make("circle", {class: "worst " + style(encode), r: 4.5, cx: px(panel, curve.worst[0]).toFixed(1),
                      cy: py(panel, curve.worst[1]).toFixed(1)}, group);
  }

  function drawBars(panel, group) {
    const bar = panel.right + RIGHT_GAP, height = (FLOOR - TOP) / BINS;
    const most = Math.max(1, ...panel.key.curves.map(curve => curve ? Math.max(...curve.bins) : 0));
    panel.key.curves.forEach((curve, encode) => {
      if (!curve || !shown[encode])
        return;
      let path = "M" + bar + " " + FLOOR;
      curve.bins.forEach((count, i) => {
        const width = count / most * BAR_WIDTH, top = FLOOR - (i + 1) * height;
        path += "H" + (bar + width).toFixed(1) + "V" + top.toFixed(1);
        if (data.encodes.length > 1 || !count)
          return;
        const low = panel.key.y[0] + panel.key.y[1] * i / BINS, digits = panel.key.ticks + 2;
        const rect = make("rect", {class: "bar", x: bar, y: top.toFixed(2), height: (height - .5).toFixed(2),
                                   width: Math.max(width, 1).toFixed(1)}, group);
        make("title", {}, rect, low.toFixed(digits) + " to " + (low + panel.key.y[1] / BINS).toFixed(digits) + ": " +
             count + (count === 1 ? " frame" : " frames"));
      });
      if (data.encodes.length > 1)
        make("path", {class: "curve " + style(encode), d: path + "H" + bar}, group);
    });
    make("line", {class: "axis", x1: bar, x2: bar, y1: TOP, y2: FLOOR}, group);
    make("text", {class: "x", x: bar, y: FLOOR + 18}, group, "0");
    make("text", {class: "y", x: bar + BAR_WIDTH, y: FLOOR + 18}, group, most + (most === 1 ? " frame" : " frames"));
  }

  function draw(panel) {
    geometry(panel);
    panel.svg.replaceChildren();
    const clip = make("clipPath", {id: "clip-" + panel.number}, make("defs", {}, panel.svg));
    make("rect", {x: LEFT, y: 0, width: panel.right - LEFT, height: FLOOR + 4}, clip);
    const group = make("g", {}, panel.svg);
    drawAxes(panel, group);
    const curve = panel.key.curves[0];
    if (data.encodes.length === 1 && curve && curve.mean !== null) {
      const at = py(panel, curve.mean).toFixed(1);
      make("line", {class: "mean", x1: LEFT, x2: panel.right, y1: at, y2: at}, group);
    }
    panel.key.curves.forEach((c, encode) => {
      if (c && shown[encode])
        drawCurve(panel, c, encode, group);
    });
    if (panel.bars)
      drawBars(panel, group);
    panel.over = make("g", {}, panel.svg);
  }

  function drawAll() {
    panels.forEach(panel => {
      if (!panel.figure.hidden)
        draw(panel);
    });
    const all = view.low === whole.low && view.span === whole.span;
    document.getElementById("reset").hidden = all;
    document.getElementById("view").textContent = all ? "Drag over a plot to zoom"
      : "frames " + Math.ceil(view.low) + " to " + Math.floor(view.low + view.span);
  }

  function zoom(low, high) {
    const least = Math.min(4, whole.span);
    view.span = Math.min(Math.max(high - low, least), whole.span);
    view.low = Math.min(Math.max(low, whole.low), whole.low + whole.span - view.span);
    drawAll();
  }

  function reset() {
    zoom(whole.low, whole.low + whole.span);
  }

  // ---- the cursor: one frame in all panels ----

  let cursor = null;

  function readout(panel, frame) {
    const parts = document.createDocumentFragment(), box = document.createElement("span");
    let time = null;
    panel.over.replaceChildren();
    make("line", {class: "cursor", x1: px(panel, frame).toFixed(1), x2: px(panel, frame).toFixed(1), y1: TOP, y2: FLOOR},
         panel.over);
    panel.key.curves.forEach((curve, encode) => {
      if (!curve || !shown[encode] || !curve.n)
        return;
      const i = nearest(curve, frame), value = curve.values[i], at = curve.at[i];
      if (time === null && at === frame)
        time = curve.time(i);
      const part = make("span", {}, box, data.encodes.length > 1 ? encode + 1 + ": " : "");
      make("b", {}, part, value === null ? "no finite value" : value.toFixed(panel.key.decimals));
      if (at !== frame)
        part.append(" (frame " + at + ")");
      if (value !== null)
        make("circle", {class: "dot e" + encode % COLOURS, r: 3.5, cx: px(panel, at).toFixed(1),
                        cy: py(panel, value).toFixed(1)}, panel.over);
    });
    parts.append("frame " + frame + (time === null ? "" : ", " + clock(time)));
    [...box.childNodes].forEach(part => parts.append(" ", part));
    panel.readout.replaceChildren(parts);
    panel.readout.hidden = false;
    panel.note.hidden = true;
  }

  function point(frame) {
    cursor = frame;
    panels.forEach(panel => {
      if (panel.figure.hidden)
        return;
      if (frame === null) {
        panel.over.replaceChildren();
        panel.readout.hidden = true;
        panel.note.hidden = false;
      } else {
        readout(panel, frame);
      }
    });
  }

  // The frame nearest to a place of which a visible encode has a value.
  function snap(panel, place) {
    let best = null;
    panel.key.curves.forEach((curve, encode) => {
      if (!curve || !shown[encode] || !curve.n)
        return;
      const at = curve.at[nearest(curve, place)];
      best = best === null || Math.abs(at - place) < Math.abs(best - place) ? at : best;
    });
    return best;
  }

  // The frame `by` points from the cursor on.
  function walk(panel, by) {
    const curve = panel.key.curves.find((c, encode) => c && shown[encode] && c.n);
    if (!curve)
      return;
    const middle = view.low + view.span / 2;
    const i = Math.min(Math.max(nearest(curve, cursor === null ? middle : cursor) + (cursor === null ? 0 : by), 0),
                       curve.n - 1);
    const frame = curve.at[i];
    if (frame < view.low || frame > view.low + view.span)
      zoom(frame - view.span / 2, frame + view.span / 2);
    point(frame);
    document.getElementById("said").textContent = panel.key.name + ": " + panel.readout.textContent;
  }

  function listen(panel) {
    const svg = panel.svg;
    const x = event => (event.clientX - svg.getBoundingClientRect().left) / svg.clientWidth * panel.width;
    let from = null, brush = null;
    svg.addEventListener("pointerdown", event => {
      if (event.button || x(event) > panel.right + 4)
        return;
      from = x(event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", event => {
      const at = x(event);
      if (from !== null && event.pointerType !== "touch") {
        const low = Math.max(Math.min(from, at), LEFT), high = Math.min(Math.max(from, at), panel.right);
        brush = brush && brush.isConnected ? brush : make("rect", {class: "brush", y: TOP, height: FLOOR - TOP}, svg);
        brush.setAttribute("x", low);
        brush.setAttribute("width", Math.max(high - low, 0));
      }
      if (at <= panel.right + 4)
        point(snap(panel, frameAt(panel, at)));
    });
    svg.addEventListener("pointerup", event => {
      const at = x(event), moved = from !== null && Math.abs(at - from) > 4 && brush;
      const ends = moved ? [frameAt(panel, from), frameAt(panel, at)] : null;
      if (brush)
        brush.remove();
      from = brush = null;
      if (ends)
        zoom(Math.min(...ends), Math.max(...ends));
    });
    svg.addEventListener("pointercancel", () => { from = null; });
    svg.addEventListener("pointerleave", () => { if (from === null) point(null); });
    svg.addEventListener("dblclick", reset);
    svg.addEventListener("keydown", event => {
      const middle = cursor === null ? view.low + view.span / 2 : cursor;
      const keys = {ArrowLeft: () => walk(panel, event.shiftKey ? -10 : -1),
                    ArrowRight: () => walk(panel, event.shiftKey ? 10 : 1),
                    "+": () => zoom(middle - view.span / 4, middle + view.span / 4),
                    "-": () => zoom(middle - view.span, middle + view.span),
                    Escape: reset};
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey)
        return;
      event.preventDefault();
      keys[event.key]();
      if (cursor !== null)
        point(cursor);
    });
    svg.addEventListener("blur", () => point(null));
  }

  // ---- switches ----

  // Makes a button of an item of a legend. `set` is called with what it is switched to.
  function toggle(item, set) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...item.childNodes);
    button.setAttribute("aria-pressed", "true");
    item.append(button);
    item.classList.add("button");
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      item.classList.toggle("off", !on);
      point(null);
      set(on);
      drawAll();
    });
  }

  function startTools() {
    const tools = document.getElementById("tools");
    if (data.encodes.length > 1)
      document.querySelectorAll("#encode-names li").forEach(item =>
        toggle(item, on => { shown[+item.dataset.encode] = on; }));
    if (panels.length > 1) {
      const list = make("ul", {class: "legend", id: "score-names"}, tools);
      panels.forEach(panel => toggle(make("li", {}, list, panel.key.name), on => { panel.figure.hidden = !on; }));
    }
    make("span", {class: "view", id: "view"}, tools);
    const button = make("button", {type: "button", id: "reset"}, tools, "Reset zoom");
    button.hidden = true;
    button.addEventListener("click", reset);
    make("span", {class: "unseen", id: "said", "aria-live": "polite"}, tools);
  }

  function startPlots() {
    document.querySelectorAll(".panel").forEach((figure, number) => {
      const key = data.keys.find(k => k.name === figure.dataset.key);
      const svg = figure.querySelector("svg"), caption = figure.querySelector("figcaption");
      key.curves.forEach(curve => curve && unpack(curve));
      svg.setAttribute("tabindex", "0");
      svg.setAttribute("aria-label", key.name + " of each frame. Arrow keys move from frame to frame, + and - zoom, " +
                       "Escape shows all frames.");
      panels.push({figure, number, key, svg, note: figure.querySelector(".note"),
                   readout: make("span", {class: "readout", hidden: ""}, caption)});
    });
    document.documentElement.classList.add("scripted");
    startTools();
    panels.forEach(listen);
    drawAll();
    let width = innerWidth;
    addEventListener("resize", () => {
      if (innerWidth !== width)
        drawAll();
      width = innerWidth;
    });
  }

  // ---- worst frames and images: one picture over the reference, and a slider between them. The pictures are dragged,
  // too ----

  function startFrame(frame) {
    const sides = frame.querySelector(".sides"), reference = sides && sides.querySelector("[data-side=reference]");
    const tops = reference ? Array.from(sides.children).filter(side => side !== reference) : [];
    if (!tops.length)
      return;
    const text = tops.map(side => side.textContent.trim());
    sides.className = "stage";
    const slider = make("input", {type: "range", class: "slide", min: 0, max: 100, value: 50,
                                  "aria-label": "how much of the reference is seen, percent"}, frame);
    const row = make("div", {class: "switch"}, frame);
    sides.after(slider, row);
    const cut = () => sides.style.setProperty("--cut", slider.value + "%");
    const note = make("span", {}, row);
    const show = which => {
      note.textContent = which ? text[which] : "left: reference";
      tops.forEach((side, i) => {
        side.classList.add("top");
        side.hidden = i !== which;
        row.children[i + 1].setAttribute("aria-pressed", String(i === which));
      });
    };
    tops.forEach((side, i) =>
      make("button", {type: "button"}, row, BUTTONS[side.dataset.side]).addEventListener("click", () => show(i)));
    slider.addEventListener("input", cut);
    const drag = event => {
      const box = sides.getBoundingClientRect();
      if (!(event.buttons & 1))
        return;
      slider.value = 100 * (event.clientX - box.left) / box.width;
      cut();
    };
    sides.addEventListener("pointerdown", event => {
      sides.setPointerCapture(event.pointerId);
      drag(event);
    });
    sides.addEventListener("pointermove", drag);
    sides.addEventListener("dragstart", event => event.preventDefault());
    cut();
    show(0);
  }

  if (data.keys.length)
    startPlots();
  document.querySelectorAll(".frame").forEach(startFrame);
}());
