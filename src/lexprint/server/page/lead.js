// What an inconclusive leak is worth, for those who run the service. It is no evidence, is in no report, and every look is logged.

import { acts, make, say } from "./dom.js";
import { ask } from "./service.js";

// A way to ask, below the verdict; nothing is asked before somebody wants to know.
export function offerLead(target, report, given, problem) {
  const place = make("div", { role: "status" });
  const button = acts("Show which copy leads", "Show which copy leads, for administrators; every look is in the audit log", problem, async () => {
    const found = await ask("POST", "/v1/ranking", { json: { ...given, document: report.document.id } });
    const document = await ask("GET", `/v1/documents/${report.document.id}`);
    place.replaceChildren(make("p", { class: "lead-found" }, found.lead), ...further(found, document, Number(report.covered_share)));
    button.remove();
    say(found.lead);
  });
  target.append(make("section", { class: "panel lead-panel", "aria-labelledby": "title-lead" },
    make("h3", { id: "title-lead" }, "For administrators: a lead, not proof"),
    make("p", {}, "Some copy always agrees best, also with a text that comes from none. Whoever sees this for texts of their choice can write one that points to anybody: so it is in no report, and every look is in the audit log."),
    place, make("div", { class: "actions" }, button)));
}

// How much more of the document would settle it, in words of its text.
function further(found, document, covered) {
  if (!found.further_sites || !document.sites) return [];
  const words = Math.ceil((found.further_sites * document.words) / document.sites / 10) * 10;
  return [make("p", { class: "soft" }, words <= document.words * (1 - covered)
    ? `In this document that is some ${words.toLocaleString("en")} more words of the same leak, as they were leaked.`
    : `In this document that would be some ${words.toLocaleString("en")} more words, and it has fewer that this leak does not show: by itself it cannot settle it.`)];
}
