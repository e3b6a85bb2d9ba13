// What somebody was at, so that a reload or a closed tab loses nothing. Each tab has its own; a new tab begins with the
// last one. It goes when they sign out, when their session ends, and after a week, as jobs do.

const NAME = "lexprint-draft";
const DAYS = 7;

function read(storage) {
  try {
    const draft = JSON.parse(storage.getItem(NAME));
    return draft && Date.now() - draft.at < DAYS * 86_400_000 ? draft : null;
  } catch {
    return null;
  }
}

let draft = read(sessionStorage) || read(localStorage) || {};

export const drafted = () => draft;

export function remember(changes) {
  draft = { ...draft, ...changes, at: Date.now() };
  for (const storage of [sessionStorage, localStorage]) {
    try {
      storage.setItem(NAME, JSON.stringify(draft));
    } catch {
      storage.removeItem(NAME); // it is larger than browsers keep
    }
  }
}

export function forgetDraft() {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem(NAME);
}

export function beginAnew() {
  draft = {};
  forgetDraft();
}
