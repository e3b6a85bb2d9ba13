"use strict";
// The whole page: three views over the HTTP interface. Whatever comes from documents or people goes in as text, never as markup.

const $ = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const node = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const counted = (number, noun, plural) => `${number.toLocaleString("en")} ${number === 1 ? noun : plural || `${noun}s`}`;
const percent = (share) => `${Math.round(Number(share) * 100)} %`;
const dated = (time) => new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
const say = (sentence) => { $("status").textContent = sentence; };

// Asking the service

class Problem extends Error {}

// This page's half of a token; the other half is in a cookie that no script can read.
let session = localStorage.getItem("lexprint-session");

function keepSession(half) {
  session = half;
  if (half) localStorage.setItem("lexprint-session", half);
  else localStorage.removeItem("lexprint-session");
  $("forget").hidden = !half;
}

// With a token, or with the code of a link; says why not, or nothing.
async function signIn(shown) {
  let response;
  try {
    response = await fetch("/v1/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(shown) });
  } catch {
    return "The service does not answer. Is it running?";
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) return sentence(answer.detail || `The service answered ${response.status}.`);
  keepSession(answer.session);
  return null;
}

let asking = null; // whoever comes while the dialog is open waits for the same answer

function askForToken(reason) {
  const dialog = $("token-dialog");
  if (dialog.open) return asking;
  asking = new Promise((resolve) => {
    show($("token-problem"), reason);
    $("token").value = "";
    $("token-form").onsubmit = async (event) => {
      event.preventDefault();
      const problem = await signIn({ token: $("token").value.trim() });
      $("token").value = "";
      show($("token-problem"), problem);
      if (!problem) dialog.close();
    };
    dialog.onclose = resolve;
    dialog.showModal();
  });
  return asking;
}

async function send(method, path, { json, form, headers = {} } = {}) {
  await arriving;
  const shown = session;
  const all = { ...headers };
  if (session) all["X-Lexprint-Session"] = session;
  if (json) all["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers: all, body: json ? JSON.stringify(json) : form });
  } catch {
    throw new Problem("The service does not answer. Is it running?");
  }
  if (response.status === 401) {
    if (shown && shown === session) keepSession(null);
    if (!session) await askForToken(shown ? "Your session has ended." : null);
    if (!session) throw new Problem("Nobody is signed in.");
    return send(method, path, { json, form, headers });
  }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new Problem(sentence(problem.detail || `The service answered ${response.status}.`));
  }
  return response;
}

// Somebody who comes by the link that `lexprint serve` printed; its code leaves the address at once.
async function arrive() {
  if (!location.hash.startsWith("#login=")) return;
  const code = location.hash.slice(7);
  history.replaceState(null, "", location.pathname);
  const problem = await signIn({ code });
  if (problem && !session) await askForToken(problem);
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
const ask = async (method, path, options) => (await send(method, path, options)).json();

async function save(path, name) {
  const response = await send("GET", path);
  const disposition = response.headers.get("Content-Disposition") || "";
  const given = /filename\*=UTF-8''([^;]+)/.exec(disposition);
  const url = URL.createObjectURL(await response.blob());
  const link = make("a", { href: url, download: given ? decodeURIComponent(given[1]) : name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// A job's events, from a stream that can carry a header, which EventSource cannot.
async function follow(job, onProgress) {
  for (;;) {
    const response = await send("GET", `/v1/jobs/${job.id}/events`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        job = JSON.parse(event.slice(event.indexOf("data: ") + 6));
        onProgress(job);
      }
    }
    if (job.state === "done") return job.result;
    if (job.state === "failed") throw new Problem(sentence(job.problem.detail));
    if (job.state === "cancelled") throw new Problem("The job was cancelled.");
    await new Promise((resolve) => setTimeout(resolve, 1000)); // the service was restarted: the job goes on
  }
}

// Small things that all views share

function show(node, text) {
  node.hidden = !text;
  node.textContent = text || "";
}

function showProgress(node, label, done, total) {
  if (!node.firstChild) node.append(make("div", { class: "track" }, make("i")), make("span"));
  node.hidden = false;
  node.firstChild.classList.toggle("unknown", !total);
  node.querySelector("i").style.transform = total ? `scaleX(${done / total})` : "";
  node.lastChild.textContent = total ? `${label}, ${Math.round((100 * done) / total)} %` : `${label} …`;
}

async function busy(button, problem, progress, work) {
  show($(problem), null);
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    show($(problem), error.message);
  } finally {
    button.disabled = false;
    if (progress) $(progress).hidden = true;
  }
}

function acts(label, aria, work) {
  return make("button", {
    type: "button", class: "quiet", "aria-label": aria,
    onclick: (event) => busy(event.currentTarget, problemOfView(), null, work),
  }, label);
}

const problemOfView = () => ({ issue: "issue-problem", trace: "trace-problem", history: "history-problem" })[view()];

// A place for a text or a file: paste, drop or choose.
function wellOf(prefix, onChange = () => {}) {
  const well = $(`${prefix}-well`), area = $(`${prefix}-text`), chip = $(`${prefix}-chip`), input = $(`${prefix}-file`);
  let file = null;

  async function take(chosen) {
    if (!chosen) return;
    const form = new FormData();
    form.append("file", chosen);
    show($(problemOfView()), null);
    try {
      file = await ask("POST", "/v1/files", { form });
    } catch (error) {
      show($(problemOfView()), error.message);
      return;
    }
    chip.replaceChildren(
      make("div", {}, make("b", {}, file.name), make("span", { class: "soft" }, `${sentence(file.kind).slice(0, -1)}, ${counted(file.words, "word")}`)),
      make("button", { type: "button", class: "quiet", "aria-label": `Remove ${file.name}`, onclick: clear }, "Remove"),
    );
    chip.hidden = false;
    area.hidden = true;
    say(`${file.name} is here, ${counted(file.words, "word")}`);
    onChange(file);
  }
  function clear() {
    file = null;
    input.value = "";
    chip.hidden = true;
    area.hidden = false;
    area.focus();
    onChange(null);
  }
  input.addEventListener("change", () => take(input.files[0]));
  receive(well, take);
  area.addEventListener("input", () => onChange(null));
  return { given: () => (file ? { file: file.id } : area.value.trim() ? { text: area.value } : null), file: () => file };
}

function receive(well, take) {
  well.addEventListener("dragover", (event) => { event.preventDefault(); well.classList.add("over"); });
  well.addEventListener("dragleave", () => well.classList.remove("over"));
  well.addEventListener("drop", (event) => {
    event.preventDefault();
    well.classList.remove("over");
    if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
  });
}

// Issuing

let analysed = null; // what was analysed, its answer, and the numbers of the sites that were struck
const source = wellOf("document", (file) => {
  if (file && !$("name").value) $("name").value = file.name.replace(/\.[^.]+$/, "");
  forgetAnalysis();
});

function forgetAnalysis() {
  analysed = null;
  for (const id of ["step-words", "step-recipients", "step-copies"]) $(id).hidden = true;
}

const protectedPhrases = () => $("protected").value.split("\n").filter((line) => line.trim());

$("analyse").addEventListener("click", (event) => busy(event.currentTarget, "analyse-problem", "analyse-progress", async () => {
  const given = source.given();
  if (!given) throw new Problem("Paste a text first, or drop a file.");
  forgetAnalysis();
  const progress = (job) => showProgress($("analyse-progress"), job.state === "queued" ? "Waiting" : "Reading", job.done, job.total);
  showProgress($("analyse-progress"), "Reading", 0, 0);
  const asked = { ...given, protected_phrases: protectedPhrases() };
  const answer = await follow(await ask("POST", "/v1/analyse", { json: asked }), progress);
  analysed = { given, answer, struck: new Set() };
  $("analyse-progress").hidden = true; // before anything is scrolled to: it takes room
  showSites();
}));

const heatOf = (entailment, floor) => 1 + Math.min(4, Math.max(0, Math.floor(((entailment - floor) / (1 - floor)) * 5)));

function showSites() {
  const { answer } = analysed;
  const characters = Array.from(answer.text); // offsets count code points
  const floor = Math.min(0.9, ...answer.sites.map((site) => site.entailment));
  const pieces = [];
  let at = 0;
  answer.sites.forEach((site, index) => {
    pieces.push(characters.slice(at, site.span[0]).join(""));
    const heat = heatOf(site.entailment, floor);
    pieces.push(make("button", {
      type: "button", class: `site heat-${heat}`, "aria-pressed": "false", tabindex: index ? "-1" : "0", "data-index": index,
      "aria-label": `${site.word}, may become ${othersOf(site).join(" or ")}, meaning kept ${site.entailment.toFixed(2)}; press to forbid`,
    }, characters.slice(...site.span).join("")));
    at = site.span[1];
  });
  pieces.push(characters.slice(at).join(""));
  $("manuscript").replaceChildren(...pieces);
  showSummary();
  $("step-words").hidden = false;
  const isEnough = answer.sites.length > 0 && answer.is_writable;
  $("step-recipients").hidden = !isEnough;
  $("title-words").focus({ preventScroll: true });
  $("step-words").scrollIntoView();
}

function showSummary() {
  const { answer, struck } = analysed;
  const left = answer.sites.length - struck.size;
  const parts = [make("b", {}, counted(left, "word")), ` of ${answer.words.toLocaleString("en")} can differ`];
  if (struck.size) parts.push(`; ${counted(struck.size, "is forbidden", "are forbidden")}`);
  const serves = [...answer.serves].reverse().find((row) => row.sites <= left);
  if (!answer.is_writable) parts.push(". This file can only be read: bring the document it was made from.");
  else if (!serves) parts.push(`. That is too few to tell copies apart: ${answer.serves[0].sites} are needed, so bring a longer text.`);
  else {
    const edited = [...answer.serves].reverse().find((row) => row.sites_if_edited <= left);
    parts.push(`. That tells ${counted(serves.recipients, "copy", "copies")} apart`);
    if (!edited) parts.push(" as long as a leak is not edited much.");
    else if (edited === serves) parts.push(", even if a leak has a tenth of its words edited.");
    else parts.push(`, or ${edited.recipients.toLocaleString("en")} if a leak has a tenth of its words edited.`);
  }
  $("words-summary").replaceChildren(...parts);
}

function toggle(button) {
  const index = Number(button.dataset.index);
  const isStruck = !analysed.struck.delete(index);
  if (isStruck) analysed.struck.add(index);
  button.setAttribute("aria-pressed", String(isStruck));
  showSummary();
}

const manuscript = $("manuscript");
manuscript.addEventListener("click", (event) => { const site = event.target.closest(".site"); if (site) toggle(site); });
manuscript.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const site = event.target.closest(".site");
  if (!step || !site) return;
  const next = manuscript.querySelector(`[data-index="${Number(site.dataset.index) + step}"]`);
  if (!next) return;
  event.preventDefault();
  site.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});
manuscript.addEventListener("mouseover", (event) => showCard(event.target.closest(".site")));
manuscript.addEventListener("mouseout", hideCard);
manuscript.addEventListener("focusin", (event) => showCard(event.target.closest(".site")));
manuscript.addEventListener("focusout", hideCard);
manuscript.addEventListener("scroll", hideCard);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideCard(); });

let cardTimer = null;

function showCard(button) {
  if (!button) return;
  clearTimeout(cardTimer);
  const site = analysed.answer.sites[Number(button.dataset.index)], card = $("card");
  fillCard(site);
  card.hidden = false;
  const place = button.getBoundingClientRect(), width = card.offsetWidth;
  card.style.left = `${Math.max(16, Math.min(scrollX + place.left, scrollX + document.documentElement.clientWidth - width - 16))}px`;
  const above = place.top - card.offsetHeight - 10;
  card.style.top = `${scrollY + (above > 70 ? above : place.bottom + 10)}px`;
  if (!site.also) cardTimer = setTimeout(() => alsoConsidered(site, button), 450);
}

function othersOf(site) {
  return [site.other, ...site.further];
}

function hideCard() {
  clearTimeout(cardTimer);
  $("card").hidden = true;
}

function fillCard(site) {
  const others = consideredBeside(site);
  const rows = (pairs) => pairs.flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)]);
  $("card").replaceChildren(
    make("div", { class: "pair" }, site.word, ...othersOf(site).flatMap((word) => [make("span", {}, "or"), word])),
    make("dl", {}, ...rows([["Meaning kept", site.entailment.toFixed(3)]]),
      others.length ? make("dt", { class: "also" }, "Also considered") : null, ...rows(others.map((one) => [one.word, one.entailment.toFixed(3)]))),
    make("p", {}, analysed.struck.has(analysed.answer.sites.indexOf(site)) ? "Forbidden. Click to allow it." : "Click to forbid it."),
  );
}

// Those that keep the meaning, the likeliest first; what is far less likely than the best has other faults.
function consideredBeside(site) {
  const keeping = (site.also || []).filter((one) => one.entailment >= 0.9).sort((a, b) => b.probability - a.probability);
  return keeping.filter((one) => !othersOf(site).includes(one.word) && one.probability >= keeping[0].probability / 10).slice(0, 3);
}

// The other words that were considered, asked for when somebody looks longer.
async function alsoConsidered(site, button) {
  const characters = Array.from(analysed.answer.text);
  let [from, to] = site.span;
  while (from > 0 && site.span[0] - from < 400 && characters[from - 1] !== "\n") from -= 1;
  while (to < characters.length && to - site.span[1] < 400 && characters[to] !== "\n") to += 1;
  const before = characters.slice(from, site.span[0]).join("");
  const occurrence = (before.match(/[\p{L}\p{N}]+/gu) || []).filter((word) => word === site.word).length + 1;
  try {
    const asked = { text: characters.slice(from, to).join(""), word: site.word, occurrence };
    site.also = (await ask("POST", "/v1/substitutes", { json: asked })).substitutes;
  } catch {
    site.also = []; // a word that stands in a name or a compound has none
  }
  if (!$("card").hidden && (button.matches(":hover") || button === document.activeElement)) showCard(button);
}

$("recipients").addEventListener("input", countRecipients);
$("recipients-file").addEventListener("change", (event) => takeRecipients(event.target.files[0]));
receive($("recipients-well"), takeRecipients);

async function takeRecipients(file) {
  if (!file) return;
  $("recipients").value = await file.text();
  countRecipients();
}

function countRecipients() {
  const lines = $("recipients").value.split("\n").filter((line) => line.trim());
  const hasHeader = lines.length && /(^|[,;\t])\s*"?(recipients?|name|full name|e-?mail|mail)"?\s*([,;\t]|$)/i.test(lines[0]);
  const number = lines.length - (hasHeader ? 1 : 0);
  $("recipients-count").textContent = number > 0 ? counted(number, "recipient") : "No recipients yet";
}

$("issue").addEventListener("click", (event) => busy(event.currentTarget, "issue-problem", "issue-progress", async () => {
  if (!$("recipients").value.trim()) throw new Problem("Say who is to be given a copy.");
  const { given, answer, struck } = analysed;
  const asked = { ...given, recipients_table: $("recipients").value, protected_phrases: protectedPhrases() };
  if ($("name").value.trim()) asked.name = $("name").value.trim();
  if ($("code").value) asked.code = $("code").value;
  if (struck.size) {
    asked.kept = answer.sites.flatMap((site, index) => struck.has(index) ? [] : othersOf(site).map((other) => ({ number: index + 1, word: site.word, other })));
  }
  const progress = (job) => showProgress($("issue-progress"), job.state === "queued" ? "Waiting" : "Writing copies", job.done, job.total);
  showProgress($("issue-progress"), "Writing copies", 0, 0);
  const issued = await follow(await ask("POST", "/v1/issue", { json: asked }), progress);
  $("issue-progress").hidden = true;
  showCopies(issued);
}));

function showCopies({ document: issued, copies }) {
  const rows = copies.slice(0, 200).map((copy) => make("tr", {},
    make("td", { class: "number", "data-label": "Copy" }, String(copy.number)),
    make("td", { class: "name" }, copy.recipient),
    make("td", { class: "acts" }, acts("Download", `Download the copy of ${copy.recipient}`, () => save(`/v1/documents/${issued.id}/copies/${copy.number}/content`, copy.file))),
  ));
  const all = make("button", { type: "button", class: "primary", onclick: (event) => busy(event.currentTarget, "issue-problem", null, () => save(`/v1/documents/${issued.id}/archive`, "copies.zip")) }, "Download all as a ZIP file");
  $("copies").replaceChildren(
    make("p", { class: "summary" }, make("b", {}, counted(copies.length, "copy", "copies")), ` of ${issued.name}, different at ${counted(issued.sites, "word")}. They are recorded: what comes back can be traced.`),
    make("div", { class: "actions" }, all),
    make("div", { class: "panel spaced" }, make("div", { class: "scroll" }, table(["Copy", "Recipient", ""], rows))),
    copies.length > rows.length ? make("p", { class: "caption" }, `The first ${rows.length} of ${copies.length}; the ZIP file has all.`) : "",
  );
  $("step-copies").hidden = false;
  $("title-copies").focus({ preventScroll: true });
  $("step-copies").scrollIntoView();
}

function table(titles, rows) {
  const numbers = ["Copy", "Words", "Places", "Copies"];
  const head = titles.map((title) => (title ? make("th", { scope: "col", class: numbers.includes(title) ? "number" : null }, title) : make("td", {})));
  return make("table", { class: "list" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}

// Tracing

const leak = wellOf("leak");

$("trace").addEventListener("click", (event) => busy(event.currentTarget, "trace-problem", "trace-progress", async () => {
  const given = leak.given();
  if (!given) throw new Problem("Paste the leak first, or drop a file.");
  $("verdict").replaceChildren();
  showProgress($("trace-progress"), "Comparing with every copy", 0, 0);
  const answer = await ask("POST", "/v1/trace", { json: { ...given, error_bound: Number($("bound").value) } });
  const text = given.text || (await ask("GET", `/v1/files/${given.file}/text`)).text;
  $("trace-progress").hidden = true;
  showVerdict(answer, text);
}));

function readingOf(evidence, accused = 0) {
  if (evidence.seen === null) return "missing";
  if (evidence.symbol === null) return "neither";
  if (!evidence.given.length) return "readable";
  return evidence.words[evidence.symbol] === evidence.given[accused] ? "match" : "mismatch";
}

function showVerdict(answer, text) {
  const { report } = answer;
  const named = report.accused.map((copy) => make("p", {}, `Copy ${copy.number} was ${copy.issued_at ? "issued to" : "made for"} `, make("strong", {}, copy.recipient), copy.issued_at ? ` on ${dated(copy.issued_at)}.` : "."));
  const parts = [
    make("section", { class: `panel verdict${report.accused.length ? " named" : ""}` },
      make("h2", {}, answer.headline), ...named, make("p", {}, answer.explanation),
      report.document ? make("p", { class: "soft" }, `Document: ${report.document.name}, version ${report.document.version}, registered on ${dated(report.document.created_at)}.`) : "",
      ...report.notes.map((note) => make("p", { class: "soft" }, note)),
      make("p", { class: "soft" }, report.statement),
      make("div", { class: "actions" },
        acts("Download the report", "Download the report as a page that prints well", () => save(`/v1/reports/${report.id}/page`, "report.html")),
        acts("Download the signed file", "Download the signed report as JSON", () => save(`/v1/reports/${report.id}/signed`, "report.json"))),
    ),
  ];
  if (report.document) parts.push(factsOf(report));
  if (report.accused.length && report.evidence.length) parts.push(agreementOf(report));
  if (report.evidence.length) parts.push(stripOf(report));
  if (report.evidence.length && text) parts.push(leakOf(report, text));
  if (report.evidence.length) parts.push(evidenceOf(report));
  $("verdict").replaceChildren(...parts);
  $("verdict").focus({ preventScroll: true });
  $("verdict").scrollIntoView();
  say(answer.headline);
}

function factsOf(report) {
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

function agreementOf(report) {
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

function stripOf(report) {
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

const DOUBTFUL = "an editor may well have put this word there";

function evidenceOf(report) {
  const rows = report.evidence.map((one) => {
    const reading = readingOf(one);
    const seen = one.seen === null ? make("span", { class: "soft" }, "not there") : make("mark", { class: reading }, one.seen);
    return make("tr", {},
      make("td", { class: "number" }, String(one.site)),
      make("td", { class: "context" }, `… ${one.before}`, make("b", {}, one.word), `${one.after} …`),
      make("td", { "data-label": "The words" }, one.words.join(" / ")),
      make("td", { "data-label": "In the leak" }, seen, ...(one.is_doubtful ? [make("small", { class: "soft", title: DOUBTFUL }, " counts less")] : [])),
      ...(report.accused.length === 1 ? [make("td", { "data-label": "In the copy" }, one.given[0])] : []));
  });
  const titles = ["No.", "In the document", "The words", "In the leak", ...(report.accused.length === 1 ? [`Copy ${report.accused[0].number}`] : [])];
  const details = make("details", { class: "panel more-evidence" }, make("summary", {}, `The evidence, word by word (${counted(report.evidence.length, "place")})`), make("div", { class: "scroll" }, table(titles, rows)));
  return details;
}

// History

async function showHistory() {
  show($("history-problem"), null);
  try {
    const [documents, reports] = await Promise.all([ask("GET", "/v1/documents?limit=100"), ask("GET", "/v1/reports?limit=100")]);
    $("documents").replaceChildren(listOf(documents, ["Document", "Issued", "Words", "Places", "Copies", ""], documentRow, "Nothing was issued yet.", "Issue the first copies", "#issue"));
    $("reports").replaceChildren(listOf(reports, ["Verdict", "Document", "Traced", ""], reportRow, "No leak was traced yet.", "Trace a leak", "#trace"));
  } catch (error) {
    show($("history-problem"), error.message);
  }
}

function listOf({ items, total }, titles, row, nothing, invitation, target) {
  if (!items.length) return make("p", { class: "nothing" }, `${nothing} `, make("a", { href: target, class: "quiet button" }, invitation));
  return make("div", { class: "panel" }, make("div", { class: "scroll" }, table(titles, items.map(row))),
    total > items.length ? make("p", { class: "caption" }, `The newest ${items.length} of ${total}.`) : "");
}

function documentRow(one) {
  return make("tr", {},
    make("td", { class: "name" }, one.name, make("span", { class: "version" }, one.version > 1 ? `version ${one.version}` : "")),
    make("td", { "data-label": "Issued" }, dated(one.created_at)),
    make("td", { class: "number", "data-label": "Words" }, one.words.toLocaleString("en")),
    make("td", { class: "number", "data-label": "Places" }, one.issuing === "blind" ? "blind" : one.sites.toLocaleString("en")),
    make("td", { class: "number", "data-label": "Copies" }, one.issued.toLocaleString("en")),
    make("td", { class: "acts" }, one.has_files ? acts("Download copies", `Download the copies of ${one.name}`, () => save(`/v1/documents/${one.id}/archive`, "copies.zip")) : ""));
}

const VERDICTS = { inconclusive: "No copy can be named", "no document": "No document is like it", unreadable: "Unreadable" };

function reportRow(one) {
  const verdict = one.accused.length ? `${one.accused.length === 1 ? "Copy" : "Copies"} ${one.accused.join(", ")}` : VERDICTS[one.verdict] || one.verdict;
  return make("tr", {},
    make("td", { class: "name" }, verdict),
    make("td", { "data-label": "Document" }, one.document_name || "–"),
    make("td", { "data-label": "Traced" }, dated(one.saved_at)),
    make("td", { class: "acts" },
      acts("Show", `Show the report of ${dated(one.saved_at)}: ${verdict}`, async () => {
        const answer = await ask("GET", `/v1/reports/${one.id}`);
        location.hash = "#trace";
        await new Promise((resolve) => setTimeout(resolve));
        showVerdict(answer, "");
      }),
      acts("Download", `Download the report of ${dated(one.saved_at)}`, () => save(`/v1/reports/${one.id}/page`, "report.html"))));
}

// Views

const view = () => (["issue", "trace", "history"].includes(location.hash.slice(1)) ? location.hash.slice(1) : "issue");

function route() {
  if (location.hash === "#main") return;
  const now = view();
  hideCard();
  for (const name of ["issue", "trace", "history"]) $(`view-${name}`).hidden = name !== now;
  for (const link of document.querySelectorAll(".masthead nav a")) {
    if (link.hash === `#${now}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = { issue: "Issue copies · lexprint", trace: "Trace a leak · lexprint", history: "History · lexprint" }[now];
  scrollTo(0, 0);
  if (now === "history") showHistory();
}

$("forget").hidden = !session;
$("forget").addEventListener("click", async () => {
  await fetch("/v1/session", { method: "DELETE", headers: { "X-Lexprint-Session": session } }).catch(() => null);
  keepSession(null);
  location.reload();
});
const arriving = arrive();
addEventListener("hashchange", route);
route();
