// Elements, scales and axes. Text always goes through text nodes: nothing is parsed as HTML.

const byId = (id) => document.getElementById(id);

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const h = (tag, props = {}, ...children) => fill(document.createElement(tag), props, children);
const s = (tag, props = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);

const count = new Intl.NumberFormat("en");
function percent(x, digits = 0) {
  if (x === null || Number.isNaN(x)) return "–";
  // Nothing is rounded to 100% that is not.
  if (x < 1 && x >= 0.995) return "> 99%";
  return `${(100 * x).toFixed(digits).replace(/^-(?=[0.]*$)/, "")}%`;
}
// A correlation with two decimals, or three where these would make it 1.
const correlationText = (r) => r.toFixed(Math.abs(r) >= 0.995 && Math.abs(r) < 0.9995 ? 3 : 2);
function compact(x) {
  const size = Math.abs(x);
  if (size === 0) return "0";
  if (Number.isInteger(x) && size < 1e7) return count.format(x);
  return size >= 1e5 || size < 1e-3 ? x.toExponential(1) : String(Number(x.toPrecision(3)));
}

function linear(d0, d1, r0, r1) {
  const scale = (x) => r0 + ((x - d0) / (d1 - d0 || 1)) * (r1 - r0);
  scale.invert = (y) => d0 + ((y - r0) / (r1 - r0)) * (d1 - d0);
  return scale;
}

function logarithmic(d0, d1, r0, r1) {
  const inner = linear(Math.log(d0), Math.log(d1), r0, r1);
  const scale = (x) => inner(Math.log(x));
  scale.invert = (y) => Math.exp(inner.invert(y));
  return scale;
}

// 1, 2, 5, 10, 20, ... up to the last value, so that labels keep their distance.
function countTicks(last, width) {
  const ticks = [];
  for (let size = 1; size <= last; size *= 10) {
    for (const step of width > 440 ? [1, 2, 5] : [1, 3]) {
      if (size * step <= last) ticks.push(size * step);
    }
  }
  return ticks;
}

function niceTicks(low, high, n) {
  const raw = (high - low) / n || 1;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * size).find((m) => m >= raw);
  const ticks = [];
  for (let x = Math.ceil(low / step) * step; x <= high + step / 1e6; x += step) ticks.push(x);
  return ticks;
}

// A chart that is drawn again when its width changes; draw(width) returns an element. The width is
// remembered, because asking for it between two drawings makes the browser lay out the page.
function chart(id, draw) {
  const holder = byId(id);
  let width = 0;
  const redraw = () => { if (width > 0) holder.replaceChildren(draw(width)); };
  new ResizeObserver(([entry]) => {
    const size = Math.floor(entry.contentRect.width);
    if (size !== width) { width = size; redraw(); }
  }).observe(holder);
  return redraw;
}

function frame(width, height, label, ...children) {
  return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label }, ...children);
}

// Axes with grid lines and titles; box is {left, right, top, bottom} in pixels.
function axes(box, x, y, { xTicks, yTicks, xText, yText, xTitle, yTitle }) {
  const g = s("g", { class: "axes", "aria-hidden": "true" });
  for (const tick of yTicks) {
    g.append(s("line", { class: "grid", x1: box.left, x2: box.right, y1: y(tick), y2: y(tick) }));
    g.append(s("text", { x: box.left - 8, y: y(tick) + 4, "text-anchor": "end" }, yText(tick)));
  }
  for (const tick of xTicks) {
    g.append(s("line", { class: "tick", x1: x(tick), x2: x(tick), y1: box.bottom, y2: box.bottom + 5 }));
    g.append(s("text", { x: x(tick), y: box.bottom + 18, "text-anchor": "middle" }, xText(tick)));
  }
  g.append(s("line", { class: "tick", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
  const middle = (box.left + box.right) / 2;
  g.append(s("text", { class: "title", x: middle, y: box.bottom + 38, "text-anchor": "middle" }, xTitle));
  if (yTitle) {
    const turn = `translate(13 ${(box.top + box.bottom) / 2}) rotate(-90)`;
    g.append(s("text", { class: "title", transform: turn, "text-anchor": "middle" }, yTitle));
  }
  return g;
}

function linePath(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

// Pixels as a canvas; color(i) returns [red, green, blue].
function pixels(height, width, color, label) {
  const canvas = h("canvas", { height, width, role: "img", "aria-label": label });
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    const [red, green, blue] = color(i);
    image.data.set([red, green, blue, 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function mix(a, b, t) {
  return a.map((value, i) => Math.round(value + (b[i] - value) * t));
}
