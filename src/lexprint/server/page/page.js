// Which view is shown; each has a module of its own, over the HTTP interface.

import { $ } from "./dom.js";
import { goOn } from "./issuing.js";
import { showDocument, showHistory } from "./history.js";
import { closeCard } from "./words.js";
import "./tracing.js";
import "./verifying.js";

const TITLES = { issue: "Issue copies", trace: "Trace a leak", verify: "Verify a report", history: "History", document: "Copies" };

function route() {
  if (location.hash === "#main") return;
  const [name, id] = location.hash.slice(1).split("=");
  const now = name in TITLES ? name : "issue";
  closeCard();
  for (const one of Object.keys(TITLES)) $(`view-${one}`).hidden = one !== now;
  for (const link of document.querySelectorAll(".masthead nav a")) {
    if (link.hash === `#${now === "document" ? "history" : now}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${TITLES[now]} · lexprint`;
  scrollTo(0, 0);
  if (now === "history") showHistory();
  if (now === "document") showDocument(id);
}

addEventListener("hashchange", route);
route();
goOn();
