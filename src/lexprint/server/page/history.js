// What was issued and what came back; all copies of one document.

import { $, Problem, acts, briefly, complain, counted, dated, make, moment, show } from "./dom.js";
import { ask, save } from "./service.js";
import { copiesOf, pagedList } from "./copies.js";
import { STATUSES, showReviews } from "./reviews.js";
import { showVerdict } from "./verdict.js";

const VERDICTS = { inconclusive: "No copy can be named", "no document": "No document is like it", unreadable: "Unreadable", "bad signature": "Not signed by this service" };
const problem = $("history-problem");

export function showHistory() {
  show(problem, null);
  $("documents").replaceChildren(pagedList("/v1/documents", ["Document", "Issued", "Words", "Places", "Copies", ""], documentRow, problem, "Nothing was issued yet."));
  showReports();
  $("people").replaceChildren(pagedList("/v1/recipients", ["Recipient", "Copies"], recipientRow, problem, "Nobody was given a copy yet."));
}

// Those that are sought; all, if nothing is said.
function showReports() {
  const sought = ["document", "copy", "since", "status"]
    .map((name) => [name, $(`sought-${name}`).value.trim()]).filter(([, value]) => value);
  const path = sought.length ? `/v1/reports?${new URLSearchParams(sought)}` : "/v1/reports";
  $("reports").replaceChildren(pagedList(path, ["Verdict", "Document", "Traced", "Status", ""], reportRow, problem, sought.length ? "No report is like that." : "No leak was traced yet."));
}

$("report-search").addEventListener("submit", (event) => { event.preventDefault(); showReports(); });
$("report-search").addEventListener("reset", () => setTimeout(showReports));

function documentRow(one) {
  const copies = make("a", { href: `#document=${one.id}`, class: "quiet button", "aria-label": `Show copies of ${one.name}` }, "Show copies");
  return make("tr", {},
    make("td", { class: "name" }, one.name, make("span", { class: "version" }, one.version > 1 ? `version ${one.version}` : "")),
    make("td", { "data-label": "Issued" }, dated(one.created_at)),
    make("td", { class: "number", "data-label": "Words" }, one.words.toLocaleString("en")),
    make("td", { class: "number", "data-label": "Places" }, one.issuing === "blind" ? "blind" : one.sites.toLocaleString("en")),
    make("td", { class: "number", "data-label": "Copies" }, one.issued.toLocaleString("en")),
    make("td", { class: "acts" }, copies));
}

function recipientRow(one) {
  return make("tr", {}, make("td", { class: "name" }, one.name), make("td", { class: "number", "data-label": "Copies" }, one.issued.toLocaleString("en")));
}

function reportRow(one) {
  const verdict = one.accused.length ? `${one.accused.length === 1 ? "Copy" : "Copies"} ${one.accused.join(", ")}` : VERDICTS[one.verdict] || one.verdict;
  return make("tr", {},
    make("td", { class: "name" }, verdict),
    make("td", { "data-label": "Document" }, one.document_name || "–"),
    make("td", { class: "when", "data-label": "Traced" }, briefly(one.saved_at)),
    make("td", { "data-label": "Status" }, make("span", { class: `status ${one.status}` }, STATUSES[one.status]), one.last_note ? make("p", { class: "last-note", title: one.last_note }, one.last_note) : ""),
    make("td", { class: "acts" },
      acts("Notes, case", `Notes, case: the report of ${moment(one.saved_at)}: ${verdict}`, problem, () => showReviews(one, verdict, showReports)),
      acts("Show", `Show the report of ${moment(one.saved_at)}: ${verdict}`, problem, async () => {
        const answer = await ask("GET", `/v1/reports/${one.id}`);
        location.hash = "#trace";
        await new Promise((resolve) => setTimeout(resolve));
        showVerdict($("verdict"), answer, "", $("trace-problem"));
      }),
      acts("Download", `Download the report of ${moment(one.saved_at)}`, problem, () => save(`/v1/reports/${one.id}/page`, "report.html"))));
}

// One document, with all its copies.
export async function showDocument(id) {
  const trouble = $("document-view-problem");
  show(trouble, null);
  $("document-copies").replaceChildren();
  $("title-document").textContent = "A document";
  try {
    const found = await ask("GET", `/v1/documents/${id}`);
    $("title-document").textContent = found.name;
    const made = found.issuing === "blind" ? "marked blindly" : `different at ${counted(found.sites, "word")}`;
    $("document-summary").textContent = `${counted(found.issued, "copy", "copies")}, ${made}, issued since ${moment(found.created_at)}.`;
    $("document-copies").replaceChildren(copiesOf(found, trouble));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    complain(trouble, error.message);
  }
}
