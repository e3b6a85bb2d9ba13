// How long things took on this service the last time, so that the next time is estimated from its first second.

const NAME = "lexprint-pace";
const SECONDS_EACH = { Reading: 0.015, "Making the copies": 0.05, "Comparing with every copy": 2 }; // before anything was seen
const LEAST_SECONDS = 1; // shorter times tell nothing: the answer was known

function kept() {
  try {
    return JSON.parse(localStorage.getItem(NAME)) || {};
  } catch {
    return {};
  }
}

// Seconds for each word, copy or trace.
export function paceOf(label) {
  const seen = kept()[label];
  return Number.isFinite(seen) && seen > 0 ? seen : SECONDS_EACH[label] || 0;
}

export function keepPace(label, seconds, work) {
  if (seconds < LEAST_SECONDS || !work) return;
  localStorage.setItem(NAME, JSON.stringify({ ...kept(), [label]: seconds / work }));
}
