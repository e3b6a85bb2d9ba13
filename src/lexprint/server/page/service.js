// Asking the service: sessions, requests, downloads, and jobs that are followed.

import { $, Cancelled, Problem, make, sentence, show } from "./dom.js";
import { forgetDraft } from "./draft.js";

const SILENT = "The service does not answer. Is it running?";
const RETRY_MILLISECONDS = 1000;
const MAX_RETRIES = 30; // times that a lost connection is tried again

// This page's half of a token; the other half is in a cookie that no script can read.
let session = localStorage.getItem("lexprint-session");

function keepSession(half) {
  session = half;
  if (half) localStorage.setItem("lexprint-session", half);
  else {
    localStorage.removeItem("lexprint-session");
    forgetDraft();
  }
  $("forget").hidden = !half;
}

// With a token, or with the code of a link; says why not, or nothing.
async function signIn(shown) {
  let response;
  try {
    response = await fetch("/v1/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(shown) });
  } catch {
    return SILENT;
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

export async function send(method, path, { json, form } = {}) {
  await arriving;
  const shown = session;
  const headers = {};
  if (session) headers["X-Lexprint-Session"] = session;
  if (json) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers, body: json ? JSON.stringify(json) : form });
  } catch {
    throw new Problem(SILENT);
  }
  if (response.status === 401) {
    if (shown && shown === session) keepSession(null);
    if (!session) await askForToken(shown ? "Your session has ended." : null);
    if (!session) throw new Problem("Nobody is signed in.");
    return send(method, path, { json, form });
  }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new Problem(sentence(problem.detail || `The service answered ${response.status}.`));
  }
  return response;
}

export const ask = async (method, path, options) => (await send(method, path, options)).json();

export function upload(path, file) {
  const form = new FormData();
  form.append("file", file);
  return ask("POST", path, { form });
}

export async function save(path, name, { json } = {}) {
  const response = await send(json ? "POST" : "GET", path, { json });
  const disposition = response.headers.get("Content-Disposition") || "";
  const given = /filename\*=UTF-8''([^;]+)/.exec(disposition);
  const url = URL.createObjectURL(await response.blob());
  const link = make("a", { href: url, download: given ? decodeURIComponent(given[1]) : name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// Whether whoever is signed in may do this; the service decides anyway, this is for what to offer.
export const may = async (scope) => (await ask("GET", "/v1/session")).scopes.includes(scope);

// A job until its end, from a stream that can carry a header, which EventSource cannot. The service may be restarted and
// the machine may sleep: the job goes on.
export async function follow(id, onProgress) {
  for (let lost = 0; lost < MAX_RETRIES; lost += 1) {
    try {
      for await (const job of events(id)) {
        lost = 0;
        onProgress(job);
        if (job.state === "done") return job.result;
        if (job.state === "failed") throw new Problem(sentence(job.problem.detail));
        if (job.state === "cancelled") throw new Cancelled("Cancelled");
      }
    } catch (error) {
      if (error instanceof Problem && error.message !== SILENT) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
  }
  throw new Problem(SILENT);
}

async function* events(id) {
  const response = await send("GET", `/v1/jobs/${id}/events`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const whole = (rest + value).split("\n\n");
    rest = whole.pop();
    for (const event of whole) yield JSON.parse(event.slice(event.indexOf("data: ") + 6));
  }
}

export const cancel = (id) => ask("DELETE", `/v1/jobs/${id}`);

// Somebody who comes by the link that `lexprint serve` printed; its code leaves the address at once.
async function arrive() {
  if (!location.hash.startsWith("#login=")) return;
  const code = location.hash.slice(7);
  history.replaceState(null, "", location.pathname);
  const problem = await signIn({ code });
  if (problem && !session) await askForToken(problem);
}

$("forget").hidden = !session;
$("forget").addEventListener("click", async () => {
  await fetch("/v1/session", { method: "DELETE", headers: { "X-Lexprint-Session": session } }).catch(() => null);
  keepSession(null);
  location.reload();
});

const arriving = arrive();
