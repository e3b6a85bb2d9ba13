// Issuing: the document, its words, the recipients, the copies. Each step is remembered, so that a reload goes on with it.

import { $, Problem, busy, counted, make, sentence, show } from "./dom.js";
import { beginAnew, drafted, remember } from "./draft.js";
import { EXAMPLE } from "./example.js";
import { ask, follow } from "./service.js";
import { progressIn } from "./progress.js";
import { receive, wellOf } from "./well.js";
import { keptPairs, showSites, showText, siteCount, standing, struckPairs, summary } from "./words.js";
import { copiesOf } from "./copies.js";

const FIELDS = ["protected", "strictness", "recipients", "name", "code"];
// Titles of columns as the service knows them, without case, spaces and punctuation.
const HEADERS = ["recipient", "recipients", "name", "fullname", "displayname", "recipientname", "employeename", "email", "emailaddress", "mail", "mailaddress", "id", "recipientid", "employeeid", "userid", "username", "user"];
const NAME_HALVES = [["firstname", "givenname", "forename"], ["lastname", "surname", "familyname"]];
const READ_ONLY = "It can only be read: bring the document it was made from, as Word, OpenDocument, mail, HTML, Markdown or plain text.";

let analysed = null; // what was analysed, and the answer
let nameIsOwn = false; // whether somebody wrote the name, so that it is not a file's

const source = wellOf("document", {
  refusal: (file) => (file.is_writable ? null : READ_ONLY),
  onChange(file) {
    show($("document-warning"), cautionOf(file));
    if (!nameIsOwn) $("name").value = file ? file.name.replace(/\.[^.]+$/, "") : "";
    forgetAnalysis();
    remember({ file, text: file ? "" : $("document-text").value, name: $("name").value });
  },
});

// What should be known of a document before its copies go out, in the words of the service.
const cautionOf = (found) => (found?.warnings || []).map(sentence).join(" ");

function forgetAnalysis() {
  analysed = null;
  remember({ analysis: null, struck: [], issuing: null, issued: null });
  for (const id of ["step-words", "step-recipients", "step-copies"]) $(id).hidden = true;
}

// How many there are to read, of what is given.
const wordsIn = (given) => (given.text ? given.text.split(/\s+/).length : source.file()?.words || 0);

const protectedPhrases = () => $("protected").value.split("\n").filter((line) => line.trim());

function asked(given) {
  const all = { ...given, protected_phrases: protectedPhrases() };
  if ($("strictness").value) all.strictness = $("strictness").value;
  return all;
}

// The document and its words

$("analyse").addEventListener("click", (event) => busy(event.currentTarget, $("analyse-problem"), async () => {
  const given = await source.given();
  if (!given) throw new Problem("Paste a text first, or drop a file.");
  forgetAnalysis();
  const bar = progressIn($("analyse-progress"), "Reading", "words", { work: wordsIn(given) });
  try {
    const job = await ask("POST", "/v1/analyse", { json: asked(given) });
    remember({ analysis: { id: job.id, given } });
    await followAnalysis(job.id, given, bar);
  } finally {
    bar.end();
  }
}));

async function followAnalysis(id, given, bar) {
  const text = given.text || (await ask("GET", `/v1/files/${given.file}/text`)).text;
  showText(text, drafted().struck || [], decided);
  try {
    const answer = await follow(id, (job) => {
      bar.tell(job);
      if (job.part) showSoFar(job);
    });
    bar.end({ isWhole: true });
    showWords(given, answer);
  } catch (error) {
    forgetAnalysis();
    throw error;
  }
}

function showSoFar(job) {
  showSites(job.part.sites);
  $("words-summary").replaceChildren(make("b", {}, counted(siteCount(), "word")), ` so far, in the first ${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}. The rest is being read.`);
  $("step-words").hidden = false;
}

function showWords(given, answer) {
  const wasShown = !$("step-words").hidden;
  analysed = { given, answer };
  showSites(answer.sites);
  $("words-summary").replaceChildren(...summary(answer));
  $("step-words").hidden = false;
  $("step-recipients").hidden = !(answer.sites.length && answer.is_writable);
  if (!wasShown) goTo("words"); // else somebody reads them already
}

function decided() {
  remember({ struck: struckPairs() });
  if (!analysed) return;
  $("words-summary").replaceChildren(...summary(analysed.answer));
}

function goTo(step) {
  $(`title-${step}`).focus({ preventScroll: true });
  $(`step-${step}`).scrollIntoView();
}

// The recipients

$("recipients").addEventListener("input", countRecipients);
$("recipients-file").addEventListener("change", (event) => takeRecipients(event.target.files[0]));
receive($("recipients-well"), takeRecipients);

async function takeRecipients(file) {
  if (!file) return;
  $("recipients").value = await file.text();
  countRecipients();
  remember({ recipients: $("recipients").value });
}

function recipientCount() {
  const lines = $("recipients").value.split("\n").filter((line) => line.trim());
  const titles = (lines[0] || "").split(/[,;\t]/).map((title) => title.toLowerCase().replace(/[^a-z0-9]+/g, ""));
  const hasHeader = titles.some((title) => HEADERS.includes(title)) || NAME_HALVES.every((half) => half.some((title) => titles.includes(title)));
  return Math.max(0, lines.length - (hasHeader ? 1 : 0));
}

function countRecipients() {
  const number = recipientCount();
  $("recipients-count").textContent = number > 0 ? counted(number, "recipient") : "No recipients yet";
}

// The copies

$("issue").addEventListener("click", (event) => busy(event.currentTarget, $("issue-problem"), async () => {
  if (!$("recipients").value.trim()) throw new Problem("Say who is to be given a copy.");
  if (!standing()) throw new Problem("Every word is forbidden: allow some again.");
  const all = { ...asked(analysed.given), recipients_table: $("recipients").value };
  if ($("name").value.trim()) all.name = $("name").value.trim();
  if ($("code").value) all.code = $("code").value;
  const kept = keptPairs();
  if (kept) all.kept = kept;
  const bar = progressIn($("issue-progress"), "Making the copies", null, { work: recipientCount() });
  try {
    const job = await ask("POST", "/v1/issue", { json: all });
    remember({ issuing: job.id });
    await followIssuing(job.id, bar);
  } finally {
    bar.end();
  }
}));

async function followIssuing(id, bar) {
  try {
    const answer = await follow(id, bar.tell);
    const [issued, caution] = [answer.document.id, cautionOf(answer)];
    bar.end({ isWhole: true });
    remember({ issued, caution });
    await showCopies(issued, caution);
    goTo("copies");
  } finally {
    remember({ issuing: null });
  }
}

async function showCopies(id, caution) {
  const issued = await ask("GET", `/v1/documents/${id}`);
  const another = make("button", { type: "button", class: "quiet", onclick: () => { beginAnew(); location.reload(); } }, "Begin with another document");
  $("copies").replaceChildren(
    make("p", { class: "summary" }, make("b", {}, counted(issued.issued, "copy", "copies")), ` of ${issued.name}, different at ${counted(issued.sites, "word")}. They are recorded: what comes back can be traced.`),
    ...(caution ? [make("p", { class: "caution" }, caution)] : []),
    copiesOf(issued, $("copies-problem"), [another]),
  );
  $("step-copies").hidden = false;
}

// An example, for who has nothing at hand

$("example").addEventListener("click", () => {
  nameIsOwn = true;
  remember({ nameIsOwn });
  source.put(EXAMPLE.text);
  for (const field of ["name", "recipients"]) {
    $(field).value = EXAMPLE[field];
    remember({ [field]: EXAMPLE[field] });
  }
  countRecipients();
  $("analyse").focus();
});

// Going on where somebody was

for (const field of FIELDS) {
  $(field).addEventListener("input", () => {
    if (field === "name") nameIsOwn = Boolean($("name").value);
    if (["protected", "strictness"].includes(field) && analysed) forgetAnalysis(); // its words were others
    remember({ [field]: $(field).value, nameIsOwn });
  });
}

export async function goOn() {
  const draft = { ...drafted() };
  for (const field of FIELDS) if (draft[field]) $(field).value = draft[field];
  nameIsOwn = Boolean(draft.nameIsOwn);
  countRecipients();
  if (draft.protected) $("protected").closest("details").open = true;
  if (draft.file) source.place(draft.file);
  else if (draft.text) source.put(draft.text);
  remember(draft);
  if (!draft.analysis) return;
  await resume("analyse", "analyse-progress", "Reading", "words", wordsIn(draft.analysis.given), (bar) => followAnalysis(draft.analysis.id, draft.analysis.given, bar));
  if (analysed && draft.issuing) {
    remember({ issuing: draft.issuing });
    await resume("issue", "issue-progress", "Making the copies", null, recipientCount(), (bar) => followIssuing(draft.issuing, bar));
  } else if (analysed && draft.issued) {
    await busy($("issue"), $("issue-problem"), () => showCopies(draft.issued, draft.caution));
  }
}

function resume(button, progress, label, unit, amount, work) {
  return busy($(button), $(`${button}-problem`), async () => {
    const bar = progressIn($(progress), label, unit, { work: amount });
    try {
      await work(bar);
    } finally {
      bar.end();
    }
  });
}
