// A report, shown: the verdict, its figures, and the evidence in the leak and word by word.

import { acts, counted, dated, make, say, table } from "./dom.js";
import { agreementOf, factsOf, readingOf, stripOf } from "./charts.js";
import { save } from "./service.js";

// Fills `target`; `text` is the leak and `given` what was traced, if it is at hand; a report that is not here cannot be fetched again.
export function showVerdict(target, answer, text, problem, { isHere = true, given = null } = {}) {
  const { report } = answer;
  const named = report.accused.map((copy) => make("p", {}, `Copy ${copy.number} was ${copy.issued_at ? "issued to" : "made for"} `, make("strong", {}, copy.recipient), copy.issued_at ? ` on ${dated(copy.issued_at)}.` : "."));
  const parts = [
    make("section", { class: `panel verdict${report.accused.length ? " named" : ""}` },
      make("h2", {}, answer.headline), ...named, make("p", {}, answer.explanation),
      ...answer.agreements.map((agreement) => make("p", {}, agreement)),
      report.document ? make("p", { class: "soft" }, `Document: ${report.document.name}, version ${report.document.version}, registered on ${dated(report.document.created_at)}.`) : "",
      ...report.notes.map((note) => make("p", { class: "soft" }, note)),
      make("p", { class: "soft" }, report.statement),
      make("div", { class: "actions" },
        ...(isHere ? [acts("Download the report", "Download the report as a page that prints well", problem, () => save(`/v1/reports/${report.id}/page`, "report.html")),
        acts("Download the signed file", "Download the signed file of the report, as JSON", problem, () => save(`/v1/reports/${report.id}/signed`, "report.json"))] : []),
        ...(isHere && given ? [acts("Download the case", "Download the case: leak, report, signature and audit extract, as a ZIP file", problem, () => save(`/v1/reports/${report.id}/case`, "case.zip", { json: given }))] : []),
        make("a", { href: "counsel.html", class: "quiet button" }, "How to read it")),
    ),
  ];
  if (report.document) parts.push(factsOf(report));
  if (report.accused.length && report.evidence.length) parts.push(agreementOf(report));
  if (report.evidence.length) parts.push(stripOf(report));
  if (report.evidence.length && text) parts.push(leakOf(report, text));
  if (report.evidence.length) parts.push(evidenceOf(report));
  target.replaceChildren(...parts);
  target.focus({ preventScroll: true });
  target.scrollIntoView();
  say(answer.headline);
}

// The leak with the words that were read; where one stands is found by its neighbours.
function leakOf(report, text) {
  const words = Array.from(text.matchAll(/[\p{L}\p{N}’'-]+/gu), (match) => ({ word: match[0], lower: match[0].toLowerCase(), at: match.index }));
  const places = new Map();
  words.forEach(({ lower }, index) => { if (!places.has(lower)) places.set(lower, []); places.get(lower).push(index); });
  const marks = new Map();
  let cursor = 0;
  for (const one of report.evidence) {
    if (one.seen === null) continue;
    const before = lastWords(one.before, 3), after = firstWords(one.after, 3);
    let best = null, bestAgreeing = 0;
    for (const index of places.get(one.seen.toLowerCase()) || []) {
      if (marks.has(index)) continue;
      const agreeing = before.filter((word) => words.slice(Math.max(0, index - 4), index).some((near) => near.lower === word)).length
        + after.filter((word) => words.slice(index + 1, index + 5).some((near) => near.lower === word)).length + (index >= cursor ? 0.5 : 0);
      if (agreeing > bestAgreeing) [best, bestAgreeing] = [index, agreeing];
    }
    if (best !== null && bestAgreeing >= 1.5) { marks.set(best, one); cursor = best; }
  }
  const pieces = [];
  let at = 0;
  for (const [index, one] of [...marks].sort(([a], [b]) => a - b)) {
    const { word, at: start } = words[index];
    pieces.push(text.slice(at, start), make("mark", { class: readingOf(one), title: one.words.join(" or ") }, word));
    at = start + word.length;
  }
  pieces.push(text.slice(at));
  return make("section", { class: "panel" }, make("h3", {}, "The leak"), make("div", { class: "leak", tabindex: "0", role: "group", "aria-label": "The leak, with the evidence marked" }, ...pieces));
}

const wordsOf = (text) => (text.toLowerCase().match(/[\p{L}\p{N}’'-]+/gu) || []);
const lastWords = (text, count) => wordsOf(text).slice(-count);
const firstWords = (text, count) => wordsOf(text).slice(0, count);

// Each word beside the document's own with the estimated share of readers that would accept it, where that is known.
const wordsShown = (one) => one.words.map((word, place) => {
  const accepted = place ? one.acceptances?.[place - 1] : undefined;
  return accepted === undefined ? word : `${word} (${Math.round(Number(accepted) * 100)} %)`;
}).join(" / ");

const DOUBTFUL = "an editor may well have put this word there";

function evidenceOf(report) {
  const rows = report.evidence.map((one) => {
    const reading = readingOf(one);
    const seen = one.seen === null ? make("span", { class: "soft" }, "not there") : make("mark", { class: reading }, one.seen);
    return make("tr", {},
      make("td", { class: "number" }, String(one.site)),
      make("td", { class: "context" }, `… ${one.before}`, make("b", {}, one.word), `${one.after} …`),
      make("td", { "data-label": "The words" }, wordsShown(one)),
      make("td", { "data-label": "In the leak" }, seen, ...(one.is_doubtful ? [make("small", { class: "soft", title: DOUBTFUL }, " counts less")] : [])),
      ...(report.accused.length === 1 ? [make("td", { "data-label": "In the copy" }, one.given[0])] : []));
  });
  const titles = ["No.", "In the document", "The words", "In the leak", ...(report.accused.length === 1 ? [`Copy ${report.accused[0].number}`] : [])];
  const details = make("details", { class: "panel more-evidence" }, make("summary", {}, `The evidence, word by word (${counted(report.evidence.length, "place")})`), make("div", { class: "scroll" }, table(titles, rows)));
  return details;
}
