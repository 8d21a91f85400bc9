"use strict";
// The numbers of the report, and what they say for a number of kept features.

const TYPES = { u1: Uint8Array, i1: Int8Array, i2: Int16Array, u4: Uint32Array, f4: Float32Array };
const UNDEFINED = 255;

// Packed arrays become typed ones.
const report = JSON.parse(document.getElementById("data").textContent, (key, value) => {
  if (value === null || !TYPES[value.type] || typeof value.data !== "string") return value;
  const text = atob(value.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new TYPES[value.type](bytes.buffer);
});
const D = report.n_features;
const GRID = report.grid;
const MAX_K = GRID[GRID.length - 1];
const POSITION = new Uint32Array(D);
report.order.forEach((feature, position) => { POSITION[feature] = position; });

// Names with control characters made visible, and without those that reorder text.
const shown = report.names.map(printable);
function printable(name) {
  const text = String(name)
    .replace(/[\u0000-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/\u007f/g, "\u2421")
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/[\u0080-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
  return text.trim() === "" ? `(no name) ${text}` : text;
}

// Where k lies in the grid: values are w of the step plus (1 - w) of the one before.
function gridStep(k) {
  let high = GRID.findIndex((value) => value >= k);
  if (high < 0) high = GRID.length - 1;
  if (high === 0 || GRID[high] === k) return { low: high, high, w: 1 };
  const low = high - 1;
  return { low, high, w: (k - GRID[low]) / (GRID[high] - GRID[low]) };
}

function interpolate(values, k) {
  const { low, high, w } = gridStep(k);
  return w * values[high] + (1 - w) * values[low];
}

// Smallest k of the grid at which a curve reaches a value, or null.
function firstReaching(values, level) {
  const step = values.findIndex((value) => value !== null && value >= level);
  return step < 0 ? null : GRID[step];
}

// Everything about k that the parts of the page share.
function selection(k) {
  const { low, high, w } = gridStep(k);
  const coverage = new Float32Array(D);
  const closest = new Int32Array(D).fill(-1);
  const correlation = new Float32Array(D);
  const followers = new Int32Array(k);
  const { start, position, correlation: r } = report.closest;
  for (let j = 0; j < D; j++) {
    const a = report.coverage[low * D + j], b = report.coverage[high * D + j];
    if (b === UNDEFINED) coverage[j] = NaN;
    else if (k === report.n_selected) coverage[j] = report.coverage_selected[j];
    else coverage[j] = POSITION[j] < k ? 1 : Math.min(1, (w * b + (1 - w) * a) / 254);
    for (let record = start[j]; record < start[j + 1] && position[record] < k; record++) {
      closest[j] = position[record];
      correlation[j] = r[record] / 32767;
    }
    if (POSITION[j] >= k && Math.abs(correlation[j]) >= report.close) followers[closest[j]]++;
  }
  return { k, coverage, closest, correlation, followers };
}
