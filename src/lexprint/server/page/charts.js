// Figures of a report: facts, how well copies agree, where the evidence is.

import { counted, make, percent } from "./dom.js";

// How a place of the leak reads, for one of the copies that are named.
export function readingOf(evidence, accused = 0) {
  if (evidence.seen === null) return "missing";
  if (evidence.symbol === null) return "neither";
  if (evidence.given[accused] == null) return "readable"; // what that copy says there is not told
  return evidence.words[evidence.symbol] === evidence.given[accused] ? "match" : "mismatch";
}

export function factsOf(report) {
  const [copy] = report.accused;
  const facts = copy && report.accused.length === 1
    ? [[`${copy.matches} of ${copy.readable}`, "readable marked words agree with the copy"]]
    : [[`${report.readable} of ${report.document.sites}`, "marked words can be read in the leak"]];
  facts.push(
    [report.compared.toLocaleString("en"), report.compared === 1 ? "copy compared" : "copies compared"],
    [percent(report.covered_share), "of the document is in the leak"],
    [percent(report.edited_share), "of that part was changed"],
  );
  return make("dl", { class: "facts" }, ...facts.map(([value, label]) => make("div", {}, make("dt", {}, label), make("dd", {}, value))));
}

const chartWidth = () => (innerWidth < 700 ? 360 : 720); // so that its letters are as large as others

export function agreementOf(report) {
  const shown = report.accused;
  const left = 86, width = chartWidth(), row = 27, most = Math.max(1, report.readable), top = report.matches_needed ? 24 : 4;
  const x = (matches) => left + ((width - left - 70) * matches) / most;
  const chart = make("svg:svg", { class: "chart", viewBox: `0 0 ${width} ${top + row * shown.length + 4}`, role: "img", "aria-label": describe(report) });
  shown.forEach((copy, index) => {
    const y = top + index * row;
    chart.append(
      make("svg:text", { x: 0, y: y + 16, class: "bold" }, `Copy ${copy.number}`),
      make("svg:rect", { x: left, y: y + 3, width: Math.max(2, x(copy.matches) - left), height: 17, rx: 3, class: "bar named" }),
      make("svg:text", { x: x(copy.matches) + 8, y: y + 16, class: "bold" }, String(copy.matches)),
    );
  });
  if (report.matches_needed) {
    const at = x(report.matches_needed), isFar = at > width - 110;
    chart.append(
      make("svg:line", { x1: at, x2: at, y1: 18, y2: top + row * shown.length, class: "needed" }),
      make("svg:text", { x: at, y: 12, class: "needed-text", "text-anchor": isFar ? "end" : "middle" }, `${report.matches_needed} needed`),
    );
  }
  return make("figure", { class: "panel" }, make("h3", {}, "How well it agrees"), chart,
    make("figcaption", {}, `Marked words of the leak that agree with the copy, out of ${report.readable} that can be read; ${counted(report.compared, "copy was", "copies were")} compared. By chance, an innocent copy agrees with about half.`));
}

const describe = (report) => `${report.accused.map((copy) => `Copy ${copy.number} agrees at ${copy.matches}`).join(", ")} of ${report.readable} places`;

export function stripOf(report) {
  const width = chartWidth(), end = Math.max(1, report.document.characters);
  const strip = make("svg:svg", { class: "chart", viewBox: `0 0 ${width} 40`, role: "img", "aria-label": "Where in the document the evidence is" });
  for (const one of report.evidence) {
    strip.append(make("svg:rect", { x: ((width - 3) * one.offset) / end, y: 2, width: 3, height: 36, rx: 1, class: `tick-${readingOf(one)}` }));
  }
  const hasAccused = report.accused.length > 0;
  const keys = [["k-match", hasAccused ? "agrees" : "can be read"], ...(hasAccused ? [["k-mismatch", "differs"]] : []), ["k-neither", "another word"], ["k-missing", "not in the leak"]];
  return make("figure", { class: "panel" }, make("h3", {}, "Where the evidence is, from beginning to end"), strip,
    make("div", { class: "key" }, ...keys.map(([name, label]) => make("span", { class: name }, label))));
}
