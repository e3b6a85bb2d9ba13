// The document with the words that can differ, and the card on which somebody decides what each may become.
// A click, a tap or Enter opens the card; pointing at a word only shows it.

import { $, counted, make } from "./dom.js";
import { ask } from "./service.js";

const manuscript = $("manuscript"), card = $("card");
let text = []; // code points, in which offsets count
let sites = [];
let struck = new Set(); // "3:swift": site 3 must not become "swift"
let onStruck = () => {};
let open = null; // the word whose card stays
let cardTimer = null;

export const othersOf = (site) => [site.other, ...site.further];
const isStruck = (index, word) => struck.has(`${index}:${word}`);
const allowedOf = (index) => othersOf(sites[index]).filter((word) => !isStruck(index, word));

// Begins with a text without sites; `decided` are the pairs that were struck before.
export function showText(whole, decided, onChange) {
  closeCard();
  text = Array.from(whole);
  sites = [];
  struck = new Set(decided);
  onStruck = onChange;
  manuscript.replaceChildren(whole);
}

// More sites, of which those before are the beginning: what somebody reads stays where it is.
export function showSites(all) {
  let at = sites.length ? sites[sites.length - 1].span[1] : 0;
  manuscript.lastChild.remove(); // the rest of the text
  const pieces = [];
  const firstNew = sites.length;
  sites = all;
  for (let index = firstNew; index < sites.length; index += 1) {
    const [start, end] = sites[index].span;
    pieces.push(text.slice(at, start).join(""), siteButton(index, text.slice(start, end).join("")));
    at = end;
  }
  manuscript.append(...pieces, document.createTextNode(text.slice(at).join("")));
}

export const siteCount = () => sites.length;
export const struckPairs = () => [...struck];
export const standing = () => sites.filter((_, index) => allowedOf(index).length).length;

// The pairs that stand, as issuing wants them; null if nothing was struck.
export function keptPairs() {
  if (!struck.size) return null;
  return sites.flatMap((site, index) => allowedOf(index).map((other) => ({ number: index + 1, word: site.word, other })));
}

const heatOf = (accepted) => 1 + Math.min(4, Math.max(0, Math.floor((accepted - 0.5) * 10)));
const percent = (accepted) => (accepted == null ? "not asked" : `${Math.round(100 * accepted)} %`);

function siteButton(index, word) {
  const button = make("button", {
    type: "button", class: `site heat-${heatOf(sites[index].acceptances[0])}`, tabindex: index ? "-1" : "0", "data-index": index,
    "aria-haspopup": "dialog", "aria-expanded": "false",
  }, word);
  describe(button, index);
  return button;
}

function describe(button, index) {
  const site = sites[index], allowed = allowedOf(index);
  button.classList.toggle("struck", !allowed.length);
  button.classList.toggle("partly", allowed.length > 0 && allowed.length < othersOf(site).length);
  const becomes = allowed.length ? `may become ${allowed.join(" or ")}, ${percent(site.acceptances[0])} of readers would accept it` : "forbidden, stays as it is";
  button.setAttribute("aria-label", `${site.word}, ${becomes}`);
}

function decide(index, words, isAllowed) {
  for (const word of words) {
    if (isAllowed) struck.delete(`${index}:${word}`);
    else struck.add(`${index}:${word}`);
  }
  describe(buttonOf(index), index);
  onStruck();
}

const buttonOf = (index) => manuscript.querySelector(`[data-index="${index}"]`);
const indexOf = (button) => Number(button.dataset.index);

// The card

function showCard(button) {
  if (!button || (open && open !== button)) return;
  clearTimeout(cardTimer);
  const index = indexOf(button);
  fillCard(index);
  card.hidden = false;
  card.classList.toggle("open", open === button);
  placeCard(button);
  if (!sites[index].also) cardTimer = setTimeout(() => alsoConsidered(button), 450);
}

// Above its word or below it, as large as it is now, and never on it.
function placeCard(button) {
  const place = button.getBoundingClientRect(), width = card.offsetWidth;
  card.style.left = `${Math.max(16, Math.min(scrollX + place.left, scrollX + document.documentElement.clientWidth - width - 16))}px`;
  const above = place.top - card.offsetHeight - 10;
  card.style.top = `${scrollY + (above > 70 ? above : place.bottom + 10)}px`;
}

function fillCard(index) {
  const site = sites[index], allowed = allowedOf(index), others = consideredBeside(site);
  const rows = (pairs) => pairs.flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)]);
  const isOpen = open && indexOf(open) === index;
  card.replaceChildren(
    make("div", { class: "pair" }, site.word, ...(isOpen ? [] : othersOf(site).flatMap((word) => [make("span", {}, "or"), make(isStruck(index, word) ? "s" : "b", {}, word)]))),
    ...(isOpen ? [choices(index)] : []),
    make("dl", {}, make("dt", { class: "also" }, "Readers who would accept it"),
      ...rows(othersOf(site).map((word, number) => [word, percent(site.acceptances[number])])),
      others.length ? make("dt", { class: "also" }, "Also considered") : null, ...rows(others.map((one) => [one.word, percent(one.acceptance)]))),
    ...(isOpen ? [decisions(index)] : [make("p", {}, allowed.length ? "Click to choose what it may become." : "Forbidden: it stays as it is. Click to change that.")]),
  );
}

function choices(index) {
  const rows = othersOf(sites[index]).map((word) => make("label", { class: "choice" },
    make("input", { type: "checkbox", checked: !isStruck(index, word), onchange: (event) => { decide(index, [word], event.target.checked); refresh(index); } }), word));
  return make("fieldset", {}, make("legend", {}, "In some copies it may become"), ...rows);
}

function decisions(index) {
  const isAllowed = allowedOf(index).length > 0;
  const all = make("button", { type: "button", id: "forbid-word", onclick: () => { decide(index, othersOf(sites[index]), !isAllowed); refresh(index); } },
    isAllowed ? "Forbid: it stays as it is" : "Allow it again");
  return make("div", { class: "decisions" }, all, make("button", { type: "button", onclick: () => closeCard({ isFocused: true }) }, "Done"));
}

// What is on the card follows what was decided, and the focus stays where it was.
function refresh(index) {
  const controls = () => [...card.querySelectorAll("input, button")];
  const at = controls().indexOf(document.activeElement);
  fillCard(index);
  placeCard(buttonOf(index));
  if (at >= 0) controls()[at].focus();
}

function openCard(button) {
  if (open) closeCard();
  open = button;
  button.setAttribute("aria-expanded", "true");
  card.setAttribute("role", "dialog");
  card.setAttribute("aria-label", `What ${button.textContent} may become`);
  showCard(button);
}

export function closeCard({ isFocused = false } = {}) {
  clearTimeout(cardTimer);
  const was = open;
  open = null;
  card.hidden = true;
  card.classList.remove("open");
  card.setAttribute("role", "tooltip");
  card.removeAttribute("aria-label");
  if (was) {
    was.setAttribute("aria-expanded", "false");
    if (isFocused) was.focus();
    card.hidden = true; // which the focus would show again
  }
}

const hideHint = () => { if (!open) closeCard(); };

// The best of those that fewer readers would accept.
function consideredBeside(site) {
  const rest = (site.also || []).filter((one) => one.acceptance >= 0.2 && !othersOf(site).includes(one.word));
  return rest.sort((a, b) => b.acceptance - a.acceptance).slice(0, 3);
}

// The other words that were considered, asked for when somebody looks longer.
async function alsoConsidered(button) {
  const site = sites[indexOf(button)];
  let [from, to] = site.span;
  while (from > 0 && site.span[0] - from < 400 && text[from - 1] !== "\n") from -= 1;
  while (to < text.length && to - site.span[1] < 400 && text[to] !== "\n") to += 1;
  const before = text.slice(from, site.span[0]).join("");
  const occurrence = (before.match(/[\p{L}\p{N}]+/gu) || []).filter((word) => word === site.word).length + 1;
  try {
    site.also = (await ask("POST", "/v1/substitutes", { json: { text: text.slice(from, to).join(""), word: site.word, occurrence } })).substitutes;
  } catch {
    site.also = []; // a word that stands in a name or a compound has none
  }
  if (open === button) refresh(indexOf(button));
  else if (!card.hidden && (button.matches(":hover") || button === document.activeElement)) showCard(button);
}

const siteAt = (event) => event.target.closest(".site");

manuscript.addEventListener("click", (event) => {
  const button = siteAt(event);
  if (!button) return;
  const isKeyboard = event.detail === 0;
  if (open === button) return closeCard();
  openCard(button);
  if (isKeyboard) card.querySelector("input").focus();
});
manuscript.addEventListener("keydown", (event) => {
  const button = siteAt(event);
  if (!button) return;
  if (event.key === "Delete" || event.key === "Backspace") {
    event.preventDefault();
    const index = indexOf(button);
    decide(index, othersOf(sites[index]), !allowedOf(index).length);
    return showCard(button);
  }
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const next = step && buttonOf(indexOf(button) + step);
  if (!next) return;
  event.preventDefault();
  button.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});
manuscript.addEventListener("mouseover", (event) => showCard(siteAt(event)));
manuscript.addEventListener("mouseout", hideHint);
manuscript.addEventListener("focusin", (event) => showCard(siteAt(event)));
manuscript.addEventListener("focusout", hideHint);
manuscript.addEventListener("scroll", () => closeCard());
document.addEventListener("keydown", (event) => { if (event.key === "Escape") closeCard({ isFocused: true }); });
document.addEventListener("click", (event) => {
  if (open && event.target.isConnected && !card.contains(event.target) && !open.contains(event.target)) closeCard();
});
card.addEventListener("focusout", (event) => {
  if (open && event.relatedTarget && !card.contains(event.relatedTarget) && event.relatedTarget !== open) closeCard();
});

// What the words are good for, in a sentence.
export function summary({ words, serves, is_writable: isWritable }) {
  const left = standing(), forbidden = sites.length - left;
  const parts = [make("b", {}, counted(left, "word")), ` of ${words.toLocaleString("en")} can differ`];
  if (forbidden) parts.push(`; ${counted(forbidden, "is forbidden", "are forbidden")}`);
  const served = [...serves].reverse().find((row) => row.sites <= left);
  if (!isWritable) parts.push(". This file can only be read: bring the document it was made from.");
  else if (!served) parts.push(`. That is too few to tell copies apart: ${serves[0].sites} are needed, so bring a longer text.`);
  else {
    const edited = [...serves].reverse().find((row) => row.sites_if_edited <= left);
    parts.push(`. That tells ${counted(served.recipients, "copy", "copies")} apart`);
    if (!edited) parts.push(" as long as a leak is not edited much.");
    else if (edited === served) parts.push(", even if a leak has a tenth of its words edited.");
    else parts.push(`, or ${edited.recipients.toLocaleString("en")} if a leak has a tenth of its words edited.`);
  }
  return parts;
}
