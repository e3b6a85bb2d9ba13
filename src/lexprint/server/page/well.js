// A place for a text or a file: paste, drop or choose. What is wrong with a file is said there, when it comes.

import { $, Cancelled, Problem, complain, counted, make, say, sentence, show } from "./dom.js";
import { upload } from "./service.js";

export function receive(well, take) {
  well.addEventListener("dragover", (event) => { event.preventDefault(); well.classList.add("over"); });
  well.addEventListener("dragleave", () => well.classList.remove("over"));
  well.addEventListener("drop", (event) => {
    event.preventDefault();
    well.classList.remove("over");
    if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
  });
}

// A reason may begin with the name of the file, by then with a capital.
const whyNot = (name, reason) =>
  reason.toLowerCase().startsWith(`${name.toLowerCase()} `) ? `${name}${reason.slice(name.length)}` : `${name} cannot be used. ${reason}`;

// `refusal` says of a file that was read why it cannot be used, or nothing; `onChange` is told the file, or null for a text.
export function wellOf(prefix, { refusal = () => null, onChange = () => {} } = {}) {
  const [well, area, chip, input, problem] = ["well", "text", "chip", "file", "problem"].map((part) => $(`${prefix}-${part}`));
  let file = null;
  let coming = Promise.resolve(); // the file that is on its way

  function take(chosen) {
    if (chosen) coming = receiveFile(chosen);
    return coming;
  }
  async function receiveFile(chosen) {
    show(problem, null);
    file = null;
    onChange(null);
    showChip(chosen.name, "On its way …");
    const own = {};
    newest = own;
    try {
      const found = await upload("/v1/files", chosen);
      if (newest !== own) return; // another one was chosen meanwhile
      if (refusal(found)) throw new Problem(refusal(found));
      place(found);
      say(`${found.name} is here, ${counted(found.words, "word")}`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (newest !== own) return;
      empty();
      complain(problem, whyNot(chosen.name, error.message));
    }
  }
  let newest = null;

  function place(found) {
    file = found;
    showChip(found.name, `${sentence(found.kind).slice(0, -1)}, ${counted(found.words, "word")}`);
    onChange(found);
  }
  function showChip(name, what) {
    const remove = () => { newest = null; empty(); onChange(null); area.focus(); };
    chip.replaceChildren(
      make("div", {}, make("b", {}, name), make("span", { class: "soft" }, what)),
      make("button", { type: "button", class: "quiet", "aria-label": `Remove ${name}`, onclick: remove }, "Remove"),
    );
    chip.hidden = false;
    area.hidden = true;
  }
  function empty() {
    file = null;
    input.value = "";
    chip.hidden = true;
    area.hidden = false;
  }
  input.addEventListener("change", () => take(input.files[0]));
  receive(well, take);
  area.addEventListener("input", () => { show(problem, null); onChange(null); });
  return {
    // Once a file that is on its way has come.
    async given() {
      await coming;
      if (!problem.hidden) {
        complain(problem, problem.textContent);
        throw new Cancelled(problem.textContent);
      }
      return file ? { file: file.id } : area.value.trim() ? { text: area.value } : null;
    },
    file: () => file,
    put(text) { newest = null; empty(); show(problem, null); area.value = text; onChange(null); },
    place,
  };
}
