// Verifying a report: drop it, and see whether it is as it was signed, and by whom.

import { $, busy, make, sentence } from "./dom.js";
import { upload } from "./service.js";
import { showVerdict } from "./verdict.js";
import { receive } from "./well.js";

const HEADINGS = {
  genuine: "The report is genuine",
  foreign: "The report is whole, but its key is unknown here",
  unsigned: "The report is not signed",
  changed: "The report was changed after it was signed",
  unreadable: "This is no report",
};

function take(file) {
  if (!file) return;
  busy($("report-file"), $("verify-problem"), async () => {
    for (const id of ["finding", "verified-report"]) $(id).replaceChildren();
    const found = await upload("/v1/verification", file);
    showFinding(file.name, found);
  }).finally(() => { $("report-file").value = ""; });
}

function showFinding(name, found) {
  const isGenuine = found.finding === "genuine";
  const lines = [make("p", {}, sentence(found.detail))];
  if (found.signer) lines.push(make("p", { class: "soft" }, "Fingerprint of its key: ", make("code", { class: "fingerprint" }, found.signer.match(/.{1,4}/g).join(" "))));
  if (found.report) lines.push(make("p", { class: "soft" }, found.is_known ? "The same report is in this registry." : "This registry has no such report."));
  if (found.report) showVerdict($("verified-report"), found.report, "", $("verify-problem"), { isHere: found.is_known });
  $("finding").replaceChildren(make("section", { class: `panel verdict${isGenuine ? " named" : " doubtful"}` },
    make("p", { class: "soft" }, name), make("h2", {}, HEADINGS[found.finding]), ...lines));
  $("finding").focus({ preventScroll: true });
  $("finding").scrollIntoView();
}

$("report-file").addEventListener("change", () => take($("report-file").files[0]));
receive($("report-well"), take);
