// State, controls, downloads.

const state = { k: report.n_selected, show: "all", query: "", sort: { key: "rank", descending: false } };
let now = null;

const drawn = {};
function start() {
  byId("app").hidden = false;
  byId("slider").max = GRID.length - 1;
  byId("number").max = MAX_K;
  now = selection(state.k);
  Object.assign(drawn, {
    curve: chart("curve", drawCurve), gains: chart("gains", drawGains), after: chart("after", drawAfter), map: chart("map", drawMap),
    histogram: chart("histogram", drawHistogram),
  });
  chart("before", drawBefore);
  if (report.trace.length > 1) {
    byId("trace-part").hidden = false;
    chart("trace", drawTrace);
  }
  byId("images").hidden = !report.images;
  drawCurveLegend();
  drawScatterLegend();
  drawNotes();
  drawHead();
  connect();
  update();
}

// One frame draws the latest k, however many steps the slider has made since the last one.
let waiting = false;
function setK(k) {
  state.k = Math.max(1, Math.min(MAX_K, Math.round(k) || 1));
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; update(); });
}

function update() {
  now = selection(state.k);
  byId("slider").value = gridStep(state.k).high;
  const isEstimate = state.k > report.n_exact;
  byId("controls").classList.toggle("is-estimate", isEstimate);
  byId("slider").setAttribute("aria-valuetext", `${state.k} features${isEstimate ? ", order estimated" : ""}`);
  if (document.activeElement !== byId("number")) byId("number").value = state.k;
  drawTiles();
  drawNeeded();
  for (const redraw of Object.values(drawn)) redraw();
  drawWorst();
  describeScatter();
  if (report.images) drawImages();
  drawTable();
  drawDetail();
  drawGroups();
  for (const [id, k] of [["to-selected", report.n_selected], ["to-suggested", report.chance.suggested]]) {
    if (byId(id)) byId(id).setAttribute("aria-pressed", state.k === k);
  }
}

function drawTiles() {
  let well = 0, dropped = 0, largest = 0, total = 0;
  for (let j = 0; j < D; j++) {
    if (POSITION[j] < now.k) largest = Math.max(largest, Math.abs(now.correlation[j]));
    else if (!Number.isNaN(now.coverage[j])) { dropped++; total += now.coverage[j]; if (now.coverage[j] >= 0.8) well++; }
  }
  const curves = report.curves;
  const explained = interpolate(curves.this, state.k), random = interpolate(curves.random_mid, state.k);
  const tile = (figure, text, extra) =>
    h("div", { class: "tile" }, h("p", { class: "big" }, figure), h("p", {}, text), h("p", { class: "extra" }, extra));
  const tiles = [
    tile(`${count.format(now.k)}`, "features kept", `${percent(now.k / D, now.k / D < 0.1 ? 1 : 0)} of ${count.format(D)}`),
    tile(percent(explained, 1), "explained on average", `random features: ${percent(random, 1)}`),
    tile(dropped ? percent(total / dropped) : "–", "mean coverage of the rest", `80% or more: ${count.format(well)} of ${count.format(dropped)}`),
    tile(largest.toFixed(2), "largest correlation kept", largest > 0.95 ? "the selection is redundant" : "no near-copies"),
  ];
  if (report.stability) {
    const [value, low, high] = report.stability;
    tiles.push(tile(value.toFixed(2), "stability", `95% interval ${low.toFixed(2)} to ${high.toFixed(2)}`));
  }
  byId("tiles").replaceChildren(...tiles);
  // As many as a few lines hold.
  let letters = 0;
  const listed = [...report.order.slice(0, now.k)].filter((j, i) => (letters += shown[j].length + 2) < (NARROW.matches ? 200 : 500) || !i);
  byId("kept-names").replaceChildren(...listed.flatMap((j, i) => [i ? ", " : "", h("bdi", {}, shown[j])]),
    ...(listed.length < now.k ? [` and ${count.format(now.k - listed.length)} more, in `, h("a", { href: "#features" }, "the table"), "."] : []));
}

function drawNotes() {
  const item = ({ level, text }) => h("li", { class: level }, h("span", { class: "level" }, { good: "Good", note: "Note", warning: "Warning" }[level]), h("span", {}, text));
  const warnings = report.notes.filter(({ level }) => level === "warning");
  byId("notes").replaceChildren(...report.notes.filter((note) => !warnings.includes(note)).map(item));
  byId("warnings").hidden = !warnings.length;
  if (warnings.length) byId("warnings").append(h("ul", { class: "notes card" }, ...warnings.map(item)));
}

function pressed(buttons) {
  for (const button of buttons) button.setAttribute("aria-pressed", button.dataset.show === state.show);
}

function connect() {
  byId("slider").addEventListener("input", (event) => setK(GRID[event.target.value]));
  byId("number").addEventListener("input", (event) => { if (event.target.value !== "") setK(event.target.value); });
  byId("number").addEventListener("blur", (event) => { event.target.value = state.k; });
  byId("to-selected").addEventListener("click", () => setK(report.n_selected));
  byId("to-suggested")?.addEventListener("click", () => setK(report.chance.suggested));
  const buttons = document.querySelectorAll("[data-show]");
  pressed(buttons);
  for (const button of buttons) {
    button.addEventListener("click", () => { state.show = button.dataset.show; pressed(buttons); toTop(); update(); });
  }
  byId("search").addEventListener("input", (event) => { state.query = event.target.value; toTop(); drawTable(); });
  NARROW.addEventListener("change", update);
  byId("rows").addEventListener("scroll", scrolled, { passive: true });
  byId("more-groups").addEventListener("click", () => { shownGroups += 2 * FEW; drawGroups(); });
  byId("copy").addEventListener("click", copyNames);
  byId("csv").addEventListener("click", () => download("features.csv", "text/csv", asCsv()));
  byId("json").addEventListener("click", () => download("selection.json", "application/json", asJson()));
  byId("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(document.documentElement.dataset.theme));
  setTheme(null);
}

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  byId("theme").textContent = isDark() ? "☀ Light" : "☾ Dark";
  // Canvases do not follow style sheets.
  drawn.map();
  if (report.images) drawImages();
}

const keptNames = () => Array.from(report.order.slice(0, state.k), (j) => report.names[j]);

async function copyNames() {
  const text = keptNames().join("\n");
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Frames of notebooks may not use the clipboard directly.
    const area = h("textarea", { class: "hidden" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    byId("copy").focus();
  }
  byId("status").textContent = `Copied the names of ${count.format(state.k)} features.`;
}

function download(name, type, text) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  byId("status").textContent = `Saved ${name}.`;
}

const quoted = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

function asCsv() {
  const frequency = report.frequency ? ["frequency"] : [];
  const lines = [["rank,feature,kept,score,adds", ...frequency, "coverage,closest_kept,correlation"].join(",")];
  for (const j of report.order) {
    const kept = POSITION[j] < now.k, far = kept || now.closest[j] < 0;
    lines.push([POSITION[j] + 1, quoted(report.names[j]), kept, report.scores[j], Number.isNaN(adds(j)) ? "" : adds(j).toFixed(4),
      ...frequency.map(() => (report.frequency[j] / 254).toFixed(3)), Number.isNaN(now.coverage[j]) ? "" : now.coverage[j].toFixed(3),
      far ? "" : quoted(report.names[report.order[now.closest[j]]]), far ? "" : now.correlation[j].toFixed(3)].join(","));
  }
  return `${lines.join("\n")}\n`;
}

function asJson() {
  const explained = interpolate(report.curves.this, state.k);
  return JSON.stringify({ method: report.method, n_features: D, n_kept: state.k, explained, kept: keptNames(),
    order: Array.from(report.order, (j) => report.names[j]) }, null, 1);
}

start();
