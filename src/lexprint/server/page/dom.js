// Making and showing things. Whatever comes from documents or people goes in as text, never as markup.

export const $ = (id) => document.getElementById(id);

export function make(tag, attributes, ...children) {
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

export const counted = (number, noun, plural) => `${number.toLocaleString("en")} ${number === 1 ? noun : plural || `${noun}s`}`;
export const percent = (share) => `${Math.round(Number(share) * 100)} %`;
export const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
export const dated = (time) => new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });

// To the second: what was traced in the same minute is told apart.
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
export const moment = (time) => `${dated(time)}, ${new Date(time).toLocaleTimeString("en-GB", CLOCK)}`;
// In a narrow column it breaks between day and hour.
export const briefly = (time) => {
  const day = new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  return `${day.replaceAll(" ", "\u00a0")}, ${new Date(time).toLocaleTimeString("en-GB", CLOCK)}`;
};

export const say = (text) => { $("status").textContent = text; };

export function show(node, text) {
  node.hidden = !text;
  node.textContent = text || "";
}

// A message where somebody looks: beside what it is about, and on the screen.
export function complain(node, text) {
  show(node, text);
  if (text) node.scrollIntoView({ block: "nearest" });
}

// Something that people can be expected to meet, said in a sentence.
export class Problem extends Error {}

// They stopped it themselves: nothing to complain of.
export class Cancelled extends Problem {}

// Does work for a button, which rests meanwhile; what goes wrong is said in `problem`.
export async function busy(button, problem, work) {
  show(problem, null);
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    if (error instanceof Cancelled) say(error.message);
    else if (error instanceof Problem) complain(problem, error.message);
    else throw error;
  } finally {
    button.disabled = false;
  }
}

export function acts(label, aria, problem, work) {
  return make("button", { type: "button", class: "quiet", "aria-label": aria, onclick: (event) => busy(event.currentTarget, problem, work) }, label);
}

const NUMBERS = ["Copy", "Words", "Places", "Copies"];

export function table(titles, rows) {
  const head = titles.map((title) => (title ? make("th", { scope: "col", class: NUMBERS.includes(title) ? "number" : null }, title) : make("td", {})));
  return make("table", { class: "list" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}
