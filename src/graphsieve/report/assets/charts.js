// Curve of the explained fraction, histogram of the coverage, trace of the objective.

const LINES = [
  ["this", "This ranking"],
  ["by_variance", "Ranked by variance"],
  ["random_mid", "Random (mean and range of 5)"],
  ["alone", "If columns were unrelated"],
];

function drawCurve(width) {
  const curves = report.curves;
  const height = Math.max(260, Math.min(520, width * 0.78));
  const box = { left: 62, right: width - 24, top: 30, bottom: height - 46 };
  // Little can be explained of some tables, words for instance: the axis then ends earlier.
  const most = Math.max(...["this", "by_variance", "random_high", "alone"].flatMap((name) => curves[name]));
  const end = [0.1, 0.2, 0.5].find((level) => most <= level) || 1;
  const y = linear(0, end, box.bottom, box.top);
  const x = countScale(box);
  const label = `Explained fraction against the number of features. With ${state.k} features, this `
    + `ranking explains ${percent(interpolate(curves.this, state.k), 1)}.`;
  const svg = frame(width, height, label, axes(box, x, y, {
    ...countAxis(width), yTicks: niceTicks(0, end, 5), yText: (tick) => `${Math.round(100 * tick)}%`, yTitle: "explained",
  }));
  const points = (values) => GRID.map((k, i) => [x(k), y(Math.max(0, Math.min(end, values[i])))]);
  const band = [...points(curves.random_high), ...points(curves.random_low).reverse()];
  svg.append(s("path", { class: "band", d: `${linePath(band)}Z` }));
  for (const [name] of LINES.slice(1).reverse()) {
    svg.append(s("path", { class: `line ${name}`, d: linePath(points(curves[name])) }));
  }
  // Beyond the features that were picked one by one, the order is an estimate.
  const own = points(curves.this), nExact = Math.min(report.n_exact, MAX_K);
  const last = GRID.filter((k) => k <= nExact).length, limit = [x(nExact), y(Math.min(end, interpolate(curves.this, nExact)))];
  svg.append(s("path", { class: "line this estimated", d: linePath([limit, ...own.slice(last)]) }));
  svg.append(s("path", { class: "line this", d: linePath([...own.slice(0, last), limit]) }));
  markSuggested(svg, box, x);
  const now = [x(state.k), y(interpolate(curves.this, state.k))];
  svg.append(s("line", { class: "now", x1: now[0], x2: now[0], y1: box.top, y2: box.bottom }));
  svg.append(s("circle", { class: "now", cx: now[0], cy: now[1], r: 6 }));
  // Above the chart, where no curve is.
  const text = `${percent(interpolate(curves.this, state.k), 1)} with ${count.format(state.k)}`;
  const middle = Math.max(box.left + 44, Math.min(width - 64, now[0]));
  svg.append(s("text", { class: "now", x: middle, y: 18, "text-anchor": "middle" }, text));
  const pick = (event) => {
    const scale = width / svg.getBoundingClientRect().width;
    const place = (event.clientX - svg.getBoundingClientRect().left) * scale;
    setK(Math.round(Math.max(1, Math.min(MAX_K, x.invert(place)))));
  };
  // The chart is replaced while the pointer moves, so its holder keeps the listeners.
  byId("curve").onpointerdown = (event) => { pick(event); byId("curve").onpointermove = pick; };
  window.onpointerup = () => { byId("curve").onpointermove = null; };
  return svg;
}

function drawCurveLegend() {
  const estimated = report.n_exact < MAX_K ? [["this estimated", "This ranking, where its order is an estimate"]] : [];
  byId("curve-legend").replaceChildren(...[...LINES, ...estimated].map(([name, text]) =>
    h("li", {}, s("svg", { width: 30, height: 10, "aria-hidden": "true" },
      s("line", { class: `line ${name}`, x1: 0, x2: 30, y1: 5, y2: 5 })), text)),
  report.chance.suggested ? h("li", {}, s("svg", { width: 14, height: 10, "aria-hidden": "true" },
    s("path", { class: "suggested", d: "M7 10l-6 -10h12z" })), "Suggested number") : "");
}

function drawNeeded() {
  const curves = report.curves;
  const written = (k) => (k === null ? `> ${count.format(MAX_K)}` : count.format(k));
  const levels = curves.this[GRID.length - 1] < 0.8 ? [0.1, 0.2, 0.3, 0.5, 0.8] : [0.5, 0.8, 0.9, 0.95, 0.99];
  byId("needed").tBodies[0].replaceChildren(...levels.map((level) => {
    const [k, ...others] = [curves.this, curves.by_variance, curves.random_mid].map((values) => firstReaching(values, level));
    const own = k === null ? written(k)
      : h("button", { type: "button", class: "link", onclick: () => setK(k), "aria-label": `Keep ${k} features` }, written(k));
    return h("tr", {}, h("th", { scope: "row" }, `${Math.round(100 * level)}%`),
      ...[own, ...others.map(written)].map((text) => h("td", {}, text)));
  }));
}

// What every feature adds to those before it, above what chance adds in shuffled columns.
function drawGains(width) {
  const { gains, most } = report.chance;
  const height = width > 560 ? 290 : 200;
  const box = { left: 62, right: width - 24, top: 12, bottom: height - 46 };
  const positive = [...gains, ...most].filter((gain) => gain > 0);
  const high = Math.max(1e-6, ...positive), least = Math.max(high / 1e4, Math.min(high / 10, ...positive));
  const ticks = percentTicks(least, high), low = Math.min(ticks[0], least);
  const x = countScale(box), y = logarithmic(low, high, box.bottom, box.top);
  const label = "Increase of the R² of all columns by each feature, compared with the largest increase in shuffled columns.";
  const svg = frame(width, height, label, axes(box, x, y, {
    ...countAxis(width), yTicks: ticks, yText: (tick) => `${Number((100 * tick).toPrecision(1))}%`, yTitle: "R² gained",
  }));
  const points = (values) => Array.from(values, (gain, i) => [x(i + 1), y(Math.max(low, gain))]);
  const band = points(most);
  if (band.length) {
    const [first, last] = [band[0][0], band[band.length - 1][0]];
    svg.append(s("path", { class: "band", d: `${linePath([[first, box.bottom], ...band, [last, box.bottom]])}Z` }));
  }
  svg.append(s("path", { class: "line this", d: linePath(points(gains)) }));
  markSuggested(svg, box, x);
  svg.append(s("line", { class: "now", x1: x(state.k), x2: x(state.k), y1: box.top, y2: box.bottom }));
  return svg;
}

// Powers of ten, and 2 and 5 times them where there is room; the first is below all gains.
function percentTicks(low, high) {
  const steps = high / low > 100 ? [1] : [1, 2, 5];
  const all = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1].flatMap((size) => steps.map((step) => step * size));
  return all.filter((tick, i) => (all[i + 1] || 1) > low && tick <= high);
}

function countScale(box) {
  return (MAX_K > 30 ? logarithmic : linear)(1, Math.max(MAX_K, 2), box.left, box.right);
}

function countAxis(width) {
  return {
    xTicks: MAX_K > 30 ? countTicks(MAX_K, width) : niceTicks(1, MAX_K, 8).filter(Number.isInteger),
    xText: (tick) => count.format(tick),
    xTitle: "number of features kept" + (MAX_K > 30 ? " (logarithmic)" : ""),
  };
}

function markSuggested(svg, box, x) {
  if (!report.chance.suggested) return;
  svg.append(s("path", { class: "suggested", d: `M${x(report.chance.suggested)} ${box.bottom}l-6 -10h12z` },
    s("title", {}, `Suggested: ${report.chance.suggested_text} features`)));
}

function drawHistogram(width) {
  const bins = new Array(10).fill(0);
  for (let j = 0; j < D; j++) {
    const value = now.coverage[j];
    if (POSITION[j] >= now.k && !Number.isNaN(value)) bins[Math.min(9, Math.floor(10 * value))]++;
  }
  const height = Math.min(430, Math.max(240, 0.75 * width));
  const box = { left: 66, right: width - 26, top: 14, bottom: height - 46 };
  const most = Math.max(1, ...bins);
  const x = linear(0, 1, box.left, box.right), y = linear(0, most, box.bottom, box.top);
  const label = `Dropped features by coverage, in steps of 10%: ${bins.join(", ")}.`;
  const svg = frame(width, height, label, axes(box, x, y, {
    xTicks: [0, 0.2, 0.4, 0.6, 0.8, 1], yTicks: niceTicks(0, most, 4).filter(Number.isInteger),
    xText: (tick) => `${Math.round(100 * tick)}%`, yText: (tick) => count.format(tick),
    xTitle: "coverage", yTitle: "dropped features",
  }));
  bins.forEach((size, i) => {
    const left = x(i / 10) + 1.5;
    svg.append(s("rect", { class: "bar", x: left, y: y(size), width: x((i + 1) / 10) - left - 1.5,
      height: box.bottom - y(size), rx: 2 }, s("title", {}, count.format(size))));
  });
  return svg;
}

// The dropped features of which most is lost.
const WORST = 5;
function drawWorst() {
  const worst = [];
  for (let j = 0; j < D; j++) {
    const value = now.coverage[j];
    if (POSITION[j] < now.k || Number.isNaN(value) || (worst.length === WORST && value >= now.coverage[worst[WORST - 1]])) continue;
    worst.push(j);
    worst.sort((a, b) => now.coverage[a] - now.coverage[b] || POSITION[a] - POSITION[b]);
    worst.length = Math.min(worst.length, WORST);
  }
  byId("worst-part").hidden = !worst.length;
  byId("worst").replaceChildren(...worst.map((j) => h("li", {}, h("bdi", {}, shown[j]),
    h("span", { class: "r" }, Number.isNaN(promised(j)) ? "" : `${percent(promised(j))}, `, percent(now.coverage[j])))));
}

function drawTrace(width) {
  const height = 220;
  const box = { left: 70, right: width - 14, top: 12, bottom: height - 46 };
  const values = report.trace.map((pair) => pair[1]);
  const low = Math.min(...values), high = Math.max(...values);
  const last = report.trace[report.trace.length - 1][0];
  const x = linear(0, Math.max(last, 1), box.left, box.right), y = linear(low, high, box.bottom, box.top);
  const label = `Objective over ${last} iterations, from ${compact(values[0])} to ${compact(values[values.length - 1])}.`;
  return frame(width, height, label, axes(box, x, y, {
    xTicks: niceTicks(0, last, 6), yTicks: niceTicks(low, high, 6), xText: (t) => count.format(t),
    yText: compact, xTitle: "iteration", yTitle: "objective",
  }), s("path", { class: "line this", d: linePath(report.trace.map(([i, v]) => [x(i), y(v)])) }));
}
