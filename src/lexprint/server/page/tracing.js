// Tracing: a leak comes in, a verdict goes out.

import { $, Problem, busy } from "./dom.js";
import { ask } from "./service.js";
import { progressIn } from "./progress.js";
import { showVerdict } from "./verdict.js";
import { wellOf } from "./well.js";

const leak = wellOf("leak");

$("trace").addEventListener("click", (event) => busy(event.currentTarget, $("trace-problem"), async () => {
  const given = await leak.given();
  if (!given) throw new Problem("Paste the leak first, or drop a file.");
  $("verdict").replaceChildren();
  const bar = progressIn($("trace-progress"), "Comparing with every copy", null, { isStoppable: false });
  try {
    const bound = $("bound").value ? { error_bound: Number($("bound").value) } : {};
    const answer = await ask("POST", "/v1/trace", { json: { ...given, ...bound } });
    const text = given.text || (await ask("GET", `/v1/files/${given.file}/text`)).text;
    bar.end();
    showVerdict($("verdict"), answer, text, $("trace-problem"));
  } finally {
    bar.end();
  }
}));
