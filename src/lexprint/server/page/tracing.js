// Tracing: a leak comes in, a verdict goes out.

import { $, Problem, busy } from "./dom.js";
import { ask, may } from "./service.js";
import { offerLead } from "./lead.js";
import { progressIn } from "./progress.js";
import { showVerdict } from "./verdict.js";
import { wellOf } from "./well.js";

const leak = wellOf("leak");

$("trace").addEventListener("click", (event) => busy(event.currentTarget, $("trace-problem"), async () => {
  const given = await leak.given();
  if (!given) throw new Problem("Paste the leak first, or drop a file.");
  $("verdict").replaceChildren();
  const bar = progressIn($("trace-progress"), "Comparing with every copy", null, { isStoppable: false, work: 1 });
  try {
    const bound = $("bound").value ? { error_bound: Number($("bound").value) } : {};
    const answer = await ask("POST", "/v1/trace", { json: { ...given, ...bound } });
    const text = given.text || (await ask("GET", `/v1/files/${given.file}/text`)).text;
    bar.end({ isWhole: true });
    showVerdict($("verdict"), answer, text, $("trace-problem"), { given });
    if (answer.report.verdict === "inconclusive" && answer.report.document && await may("admin")) offerLead($("verdict"), answer.report, given, $("trace-problem"));
  } finally {
    bar.end();
  }
}));
