// Samples in two dimensions, correlation map, images.

// Each label has a colour and a shape of its own, so that colour is not needed to tell them apart.
const SHAPES = [
  "M4 0A4 4 0 1 1 -4 0A4 4 0 1 1 4 0", "M-3.5 -3.5h7v7h-7z", "M0 -4.6L4.4 3.4H-4.4z",
  "M0 -5L4.6 0L0 5L-4.6 0z", "M0 4.6L4.4 -3.4H-4.4z", "M-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
  "M-4.5 -2h9v4h-9z", "M-2 -4.5h4v9h-4z", "M-3.5 -3.5L3.5 -3.5L0 0L3.5 3.5L-3.5 3.5L0 0z",
  "M2.6 0A2.6 2.6 0 1 1 -2.6 0A2.6 2.6 0 1 1 2.6 0",
];
const RAMP = [[0, 32, 81], [60, 77, 110], [124, 123, 120], [187, 175, 113], [253, 234, 69]];

function ramp(t) {
  const place = Math.max(0, Math.min(1, t)) * (RAMP.length - 1);
  const i = Math.min(RAMP.length - 2, Math.floor(place));
  return `rgb(${mix(RAMP[i], RAMP[i + 1], place - i).join(" ")})`;
}

// Coordinates of point i as a transformation, for a picture of this size.
function place(i, points, offset, width, height) {
  const x = width / 2 + (points[offset + 2 * i] / 127) * (width / 2 - 14);
  const y = height / 2 - (points[offset + 2 * i + 1] / 127) * (height / 2 - 14);
  return `translate(${x.toFixed(1)} ${y.toFixed(1)})${width < 260 ? "scale(.65)" : ""}`;
}

function drawPoints(width, points, offset, label) {
  const height = Math.min(width, 420);
  const { color } = report.scatter;
  const n = report.scatter.before.length / 2;
  const svg = frame(width, height, label, s("line", { class: "cross", x1: 8, x2: width - 8, y1: height / 2, y2: height / 2 }),
    s("line", { class: "cross", x1: width / 2, x2: width / 2, y1: 8, y2: height - 8 }));
  for (let i = 0; i < n; i++) {
    const code = color && color.codes ? color.codes[i] : 0;
    const dot = s("path", { d: SHAPES[code % SHAPES.length], transform: place(i, points, offset, width, height),
      class: color && color.values ? "dot" : `dot c${code}` });
    if (color && color.values) dot.style.fill = ramp(color.values[i]);
    svg.append(dot);
  }
  return svg;
}

const drawBefore = (width) =>
  drawPoints(width, report.scatter.before, 0, "Samples in the first two principal components of all features.");

// The points of the picture on the right move; they are not drawn again.
let moving = null;
function drawAfter(width) {
  const step = gridStep(state.k).high, offset = step * report.scatter.before.length;
  const label = `Samples in the first two principal components of the ${GRID[step]} best features.`;
  if (!moving || moving.width !== width) {
    const svg = drawPoints(width, report.scatter.after, offset, label);
    moving = { width, svg, dots: svg.querySelectorAll(".dot"), height: Math.min(width, 420) };
    return svg;
  }
  moving.svg.setAttribute("aria-label", label);
  moving.dots.forEach((dot, i) => dot.setAttribute("transform", place(i, report.scatter.after, offset, width, moving.height)));
  return moving.svg;
}

function describeScatter() {
  const r = interpolate(report.scatter.distances, state.k);
  byId("scatter-agreement").textContent = `Distances between samples agree with a correlation of ${r.toFixed(2)}.`;
  const { before, after } = report.scatter.n_far;
  const far = (n) => (n ? ` (${n === 1 ? "1 sample lies" : `${n} samples lie`} beyond the edge)` : "");
  byId("before-caption").textContent = `All features${far(before)}`;
  byId("after-caption").textContent = `The ${count.format(state.k)} kept features${far(after[gridStep(state.k).high])}`;
}

function drawScatterLegend() {
  const { color } = report.scatter;
  if (!color) return;
  const title = color.title ? h("li", { class: "legend-title" }, printable(color.title)) : "";
  const items = color.values
    ? [legendRamp(compact(color.low), [0, 0.2, 0.4, 0.6, 0.8, 1].map(ramp), compact(color.high))]
    : color.labels.map((label, code) =>
      h("li", {}, s("svg", { width: 16, height: 16, viewBox: "-6 -6 12 12", "aria-hidden": "true" },
        s("path", { class: `dot c${code}`, d: SHAPES[code % SHAPES.length] })), printable(label)));
  byId("scatter-legend").replaceChildren(title, ...items);
}

// An item of a legend: colours between two numbers.
function legendRamp(low, colors, high) {
  const stops = colors.map((color) => {
    const stop = h("span", { class: "stop" });
    stop.style.background = color;
    return stop;
  });
  return h("li", {}, low, h("span", { class: "ramp", "aria-hidden": "true" }, ...stops), high);
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
const ENDS = { light: [[178, 88, 6], [247, 247, 247], [0, 90, 150]], dark: [[240, 150, 60], [38, 42, 51], [96, 178, 235]] };

// The kept features that are most alike, which the map shows without names.
const PAIRS = 8;
function drawPairs(pairs, name) {
  byId("pairs-part").hidden = !pairs.length;
  byId("pairs").replaceChildren(...pairs.map(([a, b, r]) => h("li", {},
    h("span", {}, h("bdi", {}, name(a)), " and ", h("bdi", {}, name(b))), h("span", { class: "r" }, correlationText(r)))));
}

function drawMap(width) {
  const side = Math.round(Math.sqrt(report.map.length));
  const n = Math.min(side, state.k);
  const [low, middle, high] = ENDS[isDark() ? "dark" : "light"];
  const stops = [low, mix(middle, low, 0.5), middle, mix(middle, high, 0.5), high];
  byId("map-legend").replaceChildren(legendRamp("\u22121", stops.map((stop) => `rgb(${stop.join(" ")})`), "1"));
  const color = (i) => {
    const r = report.map[Math.floor(i / n) * side + (i % n)] / 32767;
    return r < 0 ? mix(middle, low, -r) : mix(middle, high, r);
  };
  const pairs = [];
  for (let a = 0; a < n; a++) {
    for (let b = 0; b < a; b++) pairs.push([b, a, report.map[a * side + b] / 32767]);
  }
  pairs.sort((one, other) => Math.abs(other[2]) - Math.abs(one[2]));
  const name = (position) => shown[report.order[position]];
  const say = ([a, b, r]) => `${name(a)} and ${name(b)}: correlation ${correlationText(r)}`;
  const summary = n > 1 ? "Point at a cell, or tap it, for its names." : "One feature has nothing to be redundant with.";
  byId("map-readout").textContent = summary;
  byId("map-about").textContent = n < state.k ? `Correlations of the first ${n} kept features, best first.` : "Correlations of the kept features, best first.";
  drawPairs(pairs.slice(0, PAIRS), name);
  const canvas = pixels(n, n, color, `Correlation map of ${n} features.${n > 1 ? ` Largest: ${say(pairs[0])}.` : ""}`);
  canvas.className = "map";
  const edge = Math.min(width, 460);
  canvas.style.width = canvas.style.height = `${edge}px`;
  canvas.onpointermove = (event) => {
    const rect = canvas.getBoundingClientRect();
    const cell = (place, start, size) => Math.max(0, Math.min(n - 1, Math.floor((n * (place - start)) / size)));
    const a = cell(event.clientY, rect.top, rect.height), b = cell(event.clientX, rect.left, rect.width);
    byId("map-readout").textContent = say([a, b, report.map[a * side + b] / 32767]);
  };
  canvas.onpointerleave = () => { byId("map-readout").textContent = summary; };
  return canvas;
}

function drawImages() {
  const { shape, mean, examples, predictions } = report.images;
  const [height, width] = shape;
  const dark = isDark();
  const accent = dark ? [110, 190, 245] : [0, 100, 170];
  const paper = dark ? [20, 22, 27] : [255, 255, 255];
  const faint = dark ? [120, 124, 132] : [176, 180, 186];
  const mask = pixels(height, width, (i) => {
    if (POSITION[i] < state.k) return mix(accent, paper, 0.55 * (POSITION[i] / Math.max(1, state.k)));
    return mix(paper, faint, 0.75 * (mean[i] / 255));
  }, `${state.k} kept pixels over the mean image.`);
  byId("mask").replaceChildren(mask);
  const step = gridStep(state.k).high;
  const n = examples.length / D;
  const gray = (value) => [value, value, value];
  const hidden = dark ? [48, 58, 74] : [214, 226, 240];
  const row = (title, color) => h("tr", {}, h("th", { scope: "row" }, title),
    ...Array.from({ length: n }, (_, e) => h("td", {}, pixels(height, width, (i) => color(e, i), `Example ${e + 1}: ${title}`))));
  byId("examples").replaceChildren(h("table", { class: "examples" },
    h("caption", { class: "hidden" }, "Example images, their kept pixels, and their reconstructions"),
    h("tbody", {},
      row("original", (e, i) => gray(examples[e * D + i])),
      row("kept pixels", (e, i) => (POSITION[i] < state.k ? gray(examples[e * D + i]) : hidden)),
      row("reconstructed", (e, i) => gray(predictions[(step * n + e) * D + i])))));
}
