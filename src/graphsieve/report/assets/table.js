// The table of all features. Only the rows in view exist, so that any number of them is quick.

const SPARE = 6;
const range = (values) => values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
const [LOWEST, HIGHEST] = range(report.scores);
// Some scores only count down the features.
const ARE_RANKS = report.scores.every((score) => Number.isInteger(score) && score >= 0 && score <= D);
const ADDS_MAX = range(report.adds)[1];
// On phones, what stands for what is in a second line.
const NARROW = matchMedia("(max-width: 640px)");
const rowHeight = () => (NARROW.matches ? 58 : 38);
const adds = (j) => (POSITION[j] < report.adds.length ? report.adds[POSITION[j]] : NaN);
// What was promised holds for the number of features of the fit.
const promised = (j) => (report.r2 && now.k === report.n_selected && POSITION[j] >= now.k && !Number.isNaN(now.coverage[j]) ? report.r2[j] : NaN);
const orLast = (x) => (Number.isNaN(x) ? -1 : x);

const COLUMNS = [
  { key: "rank", text: "Rank", value: (j) => POSITION[j], ascending: true },
  { key: "name", text: "Feature", ascending: true },
  !ARE_RANKS && { key: "score", text: "Score", value: (j) => report.scores[j] },
  { key: "adds", text: "Adds", value: (j) => orLast(adds(j)) },
  report.frequency && { key: "frequency", text: "Selected", value: (j) => report.frequency[j] },
  report.r2 && { key: "promised", text: "R², rows used", value: (j) => orLast(promised(j)), ascending: true },
  { key: "coverage", text: "Coverage", value: (j) => orLast(now.coverage[j]), ascending: true },
  { key: "stands", text: "Stands for", value: (j) => (POSITION[j] < now.k ? 2 + now.followers[POSITION[j]] : Math.abs(now.correlation[j])) },
].filter(Boolean);

let visible = [];
let collated = null;

// Places of the features in alphabetical order, computed when first needed.
function alphabetical() {
  if (!collated) {
    const collator = new Intl.Collator("en", { numeric: true });
    const sorted = Array.from(shown.keys()).sort((a, b) => collator.compare(shown[a], shown[b]));
    collated = new Uint32Array(D);
    sorted.forEach((j, place) => { collated[j] = place; });
  }
  return collated;
}

function arrange() {
  const query = state.query.toLowerCase();
  visible = Array.from(report.order).filter((j) =>
    (state.show === "all" || (POSITION[j] < now.k) === (state.show === "kept"))
    && (!query || shown[j].toLowerCase().includes(query)));
  const column = COLUMNS.find(({ key }) => key === state.sort.key);
  if (state.sort.key !== "rank" || state.sort.descending) {
    const places = state.sort.key === "name" ? alphabetical() : null;
    const values = Float64Array.from({ length: D }, (_, j) => (places ? places[j] : column.value(j)));
    const sign = state.sort.descending ? -1 : 1;
    visible.sort((a, b) => sign * (values[a] - values[b]) || POSITION[a] - POSITION[b]);
  }
  byId("status").textContent = `${count.format(visible.length)} of ${count.format(D)} features shown, `
    + `${count.format(now.k)} kept.`;
}

function drawHead() {
  byId("table").tHead.replaceChildren(h("tr", {}, ...COLUMNS.map(({ key, text, ascending }) => {
    const active = state.sort.key === key;
    const direction = active ? (state.sort.descending ? "descending" : "ascending") : null;
    return h("th", { scope: "col", class: key, "aria-sort": direction },
      h("button", { type: "button", class: "sort", onclick: () => {
        state.sort = { key, descending: active ? !state.sort.descending : !ascending };
        drawHead();
        toTop();
        drawTable();
        byId("table").tHead.querySelector(`.${key} button`).focus();
      } }, text, h("span", { class: "arrow", "aria-hidden": "true" }, active ? (state.sort.descending ? "▾" : "▴") : "")));
  })));
  byId("table").setAttribute("aria-colcount", COLUMNS.length);
}

function bar(fraction, text, kind) {
  const fill = h("span", { class: `fill ${kind}` });
  fill.style.width = `${(100 * Math.max(0, Math.min(1, fraction))).toFixed(1)}%`;
  return h("span", { class: "meter" }, h("span", { class: "track", "aria-hidden": "true" }, fill), h("span", { class: "figure" }, text));
}

function standsFor(j) {
  if (POSITION[j] < now.k) {
    const n = now.followers[POSITION[j]];
    return n ? `${count.format(n)} dropped` : "only itself";
  }
  if (now.closest[j] < 0) return "–";
  const name = h("bdi", {}, shown[report.order[now.closest[j]]]), r = `r = ${correlationText(now.correlation[j])}`;
  return Math.abs(now.correlation[j]) < report.close
    ? h("span", { class: "by" }, "none; closest ", name, ` (${r})`)
    : h("span", { class: "by" }, h("span", { class: "arrow-left", "aria-hidden": "true" }, "← "), name, ` (${r})`);
}

function cell(key, j) {
  if (key === "rank") return count.format(POSITION[j] + 1);
  if (key === "score") return bar((report.scores[j] - LOWEST) / (HIGHEST - LOWEST || 1), compact(report.scores[j]), "score");
  if (key === "adds") return bar((adds(j) || 0) / (ADDS_MAX || 1), percent(adds(j), 1), "score");
  if (key === "promised") return bar(promised(j) || 0, percent(promised(j)), "coverage");
  if (key === "frequency") return bar(report.frequency[j] / 254, percent(report.frequency[j] / 254), "score");
  if (key === "coverage") return bar(now.coverage[j] || 0, percent(now.coverage[j]), "coverage");
  return standsFor(j);
}

function tableRow(j, index) {
  const kept = POSITION[j] < now.k;
  return h("tr", { "aria-rowindex": index + 2, class: kept ? "kept" : "dropped", "data-feature": j },
    ...COLUMNS.map(({ key }) => {
      if (key !== "name") return h("td", { class: key }, cell(key, j));
      return h("th", { scope: "row", class: "name" },
        h("span", { class: "mark", role: "img", "aria-label": kept ? "kept" : "dropped" }, kept ? "●" : "○"),
        h("button", { type: "button", class: "link name", title: shown[j], onclick: () => showDetail(j) }, h("bdi", {}, shown[j])),
        NARROW.matches ? h("span", { class: "under" }, kept ? "stands for " : "", standsFor(j)) : "");
    }));
}

// Where the table is scrolled to; asking the browser while drawing would make it lay out the page.
let scrollTop = 0;
const HEIGHT = 494;
function toTop() {
  byId("rows").scrollTop = scrollTop = 0;
}
function scrolled() {
  scrollTop = byId("rows").scrollTop;
  drawRows();
}

// Empty rows above and below stand for those that are not in view.
function drawRows() {
  // Fewer rows than before may be left, and the table ends above where it was scrolled to.
  const top = Math.min(scrollTop, Math.max(0, visible.length * rowHeight() - HEIGHT));
  const first = Math.max(0, Math.floor(top / rowHeight()) - SPARE);
  const last = Math.min(visible.length, Math.ceil((top + HEIGHT) / rowHeight()) + SPARE);
  const space = (rows) => {
    // Some columns are hidden on small screens: a cell that spans all of them would bring them back.
    const td = h("td");
    td.style.height = `${rows * rowHeight()}px`;
    return h("tr", { class: "space", "aria-hidden": "true" }, td);
  };
  const rows = visible.slice(first, last).map((j, i) => tableRow(j, first + i));
  if (first > 0) rows.unshift(space(first));
  if (last < visible.length) rows.push(space(visible.length - last));
  if (!visible.length) rows.push(h("tr", {}, h("td", { colspan: COLUMNS.length, class: "none" }, "No feature matches.")));
  byId("table").tBodies[0].replaceChildren(...rows);
}

function drawTable() {
  arrange();
  byId("table").setAttribute("aria-rowcount", visible.length + 1);
  drawRows();
}

// Coverage of one feature against the number of kept ones, and its closest kept features.
let detailed = null;
function showDetail(j) {
  detailed = detailed === j ? null : j;
  drawDetail();
  if (detailed !== null) byId("detail").scrollIntoView({ block: "nearest" });
}

function drawDetail() {
  const holder = byId("detail");
  holder.hidden = detailed === null;
  if (detailed === null) return;
  const j = detailed;
  const width = Math.min(460, holder.clientWidth - 40 || 460), height = 190;
  const box = { left: 52, right: width - 10, top: 10, bottom: height - 44 };
  const x = countScale(box), y = linear(0, 1, box.bottom, box.top);
  const value = (i) => (POSITION[j] < GRID[i] ? 254 : report.coverage[i * D + j]);
  const svg = frame(width, height, `Coverage of ${shown[j]} against the number of kept features`,
    axes(box, x, y, { ...countAxis(width - 100), yTicks: [0, 0.5, 1], yText: (t) => `${100 * t}%`, yTitle: "coverage" }),
    s("path", { class: "line this", d: linePath(GRID.map((k, i) => [x(k), y(Math.min(254, value(i)) / 254)])) }),
    s("line", { class: "now", x1: x(now.k), x2: x(now.k), y1: box.top, y2: box.bottom }));
  const kept = POSITION[j] < now.k;
  holder.replaceChildren(
    h("div", {}, h("h3", {}, h("bdi", {}, shown[j])),
      h("p", {}, `Rank ${count.format(POSITION[j] + 1)} of ${count.format(D)}, ${kept ? "kept" : "dropped"}. `
        + (kept ? `Stands for ${now.followers[POSITION[j]] ? `${count.format(now.followers[POSITION[j]])} dropped` : "only itself"}.`
          : `Predicted from the kept features with a coverage of ${percent(now.coverage[j])}; `),
      kept ? "" : h("span", {}, "what stands for it: ", standsFor(j), ".")),
      h("button", { type: "button", onclick: () => showDetail(j) }, "Close")),
    svg);
}
