// Kept features with the dropped ones that are closest to them.

const FEW = window.innerWidth < 640 ? 4 : 8;
const MEMBERS = 6;
let shownGroups = FEW;

function drawGroups() {
  const members = new Map();
  let far = 0, dropped = 0;
  for (let j = 0; j < D; j++) {
    if (POSITION[j] < now.k || Number.isNaN(now.coverage[j])) continue;
    dropped++;
    if (now.closest[j] < 0 || Math.abs(now.correlation[j]) < report.close) { far++; continue; }
    if (!members.has(now.closest[j])) members.set(now.closest[j], []);
    members.get(now.closest[j]).push(j);
  }
  const groups = [...members.entries()].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
  byId("groups-about").textContent = dropped === 0 ? "Nothing is dropped."
    : `Dropped features with the kept one to which they are most correlated (|r| of at least ${report.close}). `
      + `${count.format(far)} of ${count.format(dropped)} dropped features are not close to any single kept one.`;
  byId("groups").replaceChildren(...groups.slice(0, shownGroups).map(([position, features]) => {
    features.sort((a, b) => Math.abs(now.correlation[b]) - Math.abs(now.correlation[a]));
    const rest = features.length - MEMBERS;
    return h("article", { class: "group" },
      h("h3", {}, h("bdi", {}, shown[report.order[position]]), h("span", { class: "size" }, `+ ${count.format(features.length)}`)),
      h("ul", {}, ...features.slice(0, MEMBERS).map((j) => h("li", {}, h("bdi", {}, shown[j]),
        h("span", { class: "r" }, correlationText(now.correlation[j])))),
      rest > 0 ? h("li", { class: "rest" }, `and ${count.format(rest)} more`) : ""));
  }));
  byId("more-groups").hidden = groups.length <= shownGroups;
}
