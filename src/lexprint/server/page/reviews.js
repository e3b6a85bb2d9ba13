// What became of a report: its status and notes, beside what was signed; and the case, for which the leak is needed again.

import { $, acts, busy, make, moment, show } from "./dom.js";
import { ask, save, upload } from "./service.js";

export const STATUSES = { open: "Open", confirmed: "Confirmed", dismissed: "Dismissed" };

let report = null; // that is shown
let onChange = () => {};

// Opens the dialog for a report of the history; `changed` is called when somebody has added something.
export async function showReviews(one, title, changed) {
  [report, onChange] = [one, changed];
  $("reviews-title").textContent = title;
  $("review-status").value = one.status;
  $("review-status").querySelector("[value=confirmed]").disabled = !(one.accused.length && one.is_signed);
  $("review-note").value = "";
  for (const id of ["review-problem", "case-problem"]) show($(id), null);
  await list();
  if (!$("reviews").open) $("reviews").showModal();
}

async function list() {
  const said = await ask("GET", `/v1/reports/${report.id}/reviews`);
  $("reviews-said").replaceChildren(...(said.length
    ? said.map((one) => make("li", {}, make("span", { class: "soft" }, `${moment(one.at)} · ${STATUSES[one.status]}`), ...(one.note ? [make("p", {}, one.note)] : [])))
    : [make("li", { class: "soft" }, "Nobody has said anything of it yet.")]));
}

$("review-form").addEventListener("submit", (event) => {
  event.preventDefault();
  busy($("review-save"), $("review-problem"), async () => {
    const status = $("review-status").value === report.status ? {} : { status: $("review-status").value };
    const added = await ask("POST", `/v1/reports/${report.id}/reviews`, { json: { ...status, note: $("review-note").value } });
    report = { ...report, status: added.status };
    $("review-note").value = "";
    await list();
    onChange();
  });
});

// The service keeps no leaks: whoever wants the case brings the one that was traced.
$("case-file").addEventListener("change", () => busy($("case-file"), $("case-problem"), async () => {
  const [file] = $("case-file").files;
  if (!file) return;
  const found = await upload("/v1/files", file);
  await save(`/v1/reports/${report.id}/case`, "case.zip", { json: { file: found.id } });
}).finally(() => { $("case-file").value = ""; }));

$("case-text").addEventListener("click", () => busy($("case-text"), $("case-problem"), () => save(`/v1/reports/${report.id}/case`, "case.zip", { json: { text: $("case-leak").value } })));
$("reviews-close").addEventListener("click", () => $("reviews").close());
