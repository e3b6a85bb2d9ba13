// Copies of a document: who has which, what it says, and the files.

import { $, Problem, acts, busy, counted, make, table } from "./dom.js";
import { ask, save } from "./service.js";

const PAGE = 100;

// All copies of a document, a page at a time; `problem` is where trouble is told, `beside` what stands beside the archive.
export function copiesOf(issued, problem, beside = []) {
  const whole = make("div", { class: "actions" });
  if (issued.has_files) {
    whole.append(make("button", { type: "button", class: "primary", onclick: (event) => busy(event.currentTarget, problem, () => save(`/v1/documents/${issued.id}/archive`, "copies.zip")) }, "Download all as a ZIP file"));
  }
  whole.append(...beside);
  return make("div", {}, whole, pagedList(`/v1/documents/${issued.id}/copies`, ["Copy", "Recipient", ""], (copy) => copyRow(issued, copy, problem), problem));
}

function copyRow(issued, copy, problem) {
  const path = `/v1/documents/${issued.id}/copies/${copy.number}`;
  return make("tr", {},
    make("td", { class: "number", "data-label": "Copy" }, String(copy.number)),
    make("td", { class: "name" }, copy.recipient, copy.issued_at ? "" : make("span", { class: "version" }, "not issued yet")),
    make("td", { class: "acts" },
      acts("Read", `Read the copy of ${copy.recipient}`, problem, () => readCopy(issued, copy.number)),
      copy.issued_at && issued.has_files ? acts("Download", `Download the copy of ${copy.recipient}`, problem, () => save(`${path}/content`, copy.file_name)) : ""));
}

// A list that grows by a page when somebody asks for more.
export function pagedList(path, titles, row, problem, whenEmpty = "There is nothing yet.") {
  const panel = make("div", { class: "panel spaced" });
  const more = make("button", { type: "button", class: "quiet" }, "Show more");
  const body = table(titles, []);
  let offset = 0;
  async function load() {
    const page = await ask("GET", `${path}${path.includes("?") ? "&" : "?"}limit=${PAGE}&offset=${offset}`);
    if (!page.total) return panel.replaceChildren(make("p", { class: "caption" }, whenEmpty));
    body.tBodies[0].append(...page.items.map(row));
    offset = page.next_offset;
    const shown = body.tBodies[0].rows.length;
    panel.replaceChildren(make("div", { class: "scroll" }, body), ...(offset ? [make("p", { class: "caption" }, `The first ${shown.toLocaleString("en")} of ${page.total.toLocaleString("en")}. `, more)] : []));
  }
  more.addEventListener("click", () => busy(more, problem, load));
  load().catch((error) => {
    if (!(error instanceof Problem)) throw error;
    panel.replaceChildren(make("p", { class: "caption" }, error.message)); // as for somebody whose token does not open this list
  });
  return panel;
}

// What one person's copy says, with the words that are its own.
async function readCopy(issued, number) {
  const copy = await ask("GET", `/v1/documents/${issued.id}/copies/${number}/text`);
  const characters = Array.from(copy.text);
  const pieces = [];
  let at = 0;
  for (const { span, word, master } of copy.changed) {
    pieces.push(characters.slice(at, span[0]).join(""), make("mark", { class: "match", title: `the document says: ${master}` }, word));
    at = span[1];
  }
  pieces.push(characters.slice(at).join(""));
  const step = (label, to) => make("button", { type: "button", class: "quiet", disabled: to < 1 || to > issued.planned, onclick: (event) => busy(event.currentTarget, $("reader-problem"), () => readCopy(issued, to)) }, label);
  $("reader-title").textContent = copy.recipient;
  $("reader-summary").textContent = issued.issuing === "blind"
    ? `Copy ${number} of ${issued.name}.`
    : `Copy ${number} of ${issued.name}. ${counted(copy.changed.length, "word is", "words are")} not the document's; they are marked.`;
  $("reader-text").replaceChildren(...pieces);
  $("reader-steps").replaceChildren(step("Previous copy", number - 1), step("Next copy", number + 1));
  if (!$("reader").open) $("reader").showModal();
  $("reader-text").scrollTop = 0;
}

$("reader-close").addEventListener("click", () => $("reader").close());
