// A bar that tells the truth: what is done of what there is, how long the rest will take, and a way to stop it.

import { make, sentence } from "./dom.js";
import { cancel } from "./service.js";
import { keepPace, paceOf } from "./pace.js";

const TRUSTED = 0.05; // of the whole: how much of it the pace of the last time counts for
const OVERDUE_SECONDS = 10; // after which it is said that it takes longer than it was thought to

// Fills `node` while a job goes on; `tell` takes each state of the job, `end` takes the bar away. `work` is how much there is
// to do, as far as this page knows: with the pace of the last time, that is an estimate before the first word is done.
export function progressIn(node, label, unit, { isStoppable = true, work = 0 } = {}) {
  const bar = make("i"), words = make("span");
  const track = make("div", { class: "track unknown", role: "progressbar", "aria-label": label }, bar);
  const stop = make("button", { type: "button", class: "quiet" }, "Cancel");
  let began = Date.now();
  let job = null, first = null, last = null;

  function tell(state) {
    if (state.state === "running" && job?.state === "queued") began = Date.now();
    job = state;
    if (job.state === "running" && job.total) {
      if (!first || job.done < first.done) first = { done: job.done, at: Date.now() };
      if (!last || job.done !== last.done) last = { done: job.done, at: Date.now() };
    }
    draw();
  }
  function draw() {
    const isKnown = Boolean(job && job.total && !job.doing); // the bar of what has not begun moves by itself
    track.classList.toggle("unknown", !isKnown);
    bar.style.transform = isKnown ? `scaleX(${job.done / job.total})` : "";
    if (isKnown) {
      track.setAttribute("aria-valuemax", job.total);
      track.setAttribute("aria-valuenow", job.done);
    }
    words.textContent = [heading(), timing()].filter(Boolean).join(" · ");
  }
  function heading() {
    if (job && job.state === "queued") return "Waiting for its turn";
    if (job && job.doing) return `${sentence(job.doing).replace(/\.$/, "")}, ${Math.floor((Date.now() - began) / 1000)} s by now`;
    if (!job || !job.total) return label;
    const share = Math.floor((100 * job.done) / job.total);
    return unit ? `${label}: ${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")} ${unit}` : `${label}: ${share} %`;
  }
  function timing() {
    const expected = ((unit && job?.total) || work) * paceOf(label);
    const spent = (Date.now() - began) / 1000;
    if (job?.state === "queued") return expected ? `then ${roughly(expected)}` : "";
    let left = expected - spent;
    if (last && last.done > first.done) {
      const before = unit ? TRUSTED * job.total : 0; // the first words alone would make the estimate jump
      const each = (before * paceOf(label) * 1000 + last.at - first.at) / (before + last.done - first.done);
      left = (each * (job.total - last.done) - (Date.now() - last.at)) / 1000;
    }
    return left < -OVERDUE_SECONDS ? `longer than thought, ${Math.floor(spent)} s by now` : inWords(left);
  }

  stop.addEventListener("click", async () => {
    stop.disabled = true;
    if (job) await cancel(job.id).catch(() => null);
  });
  node.replaceChildren(track, make("div", { class: "progress-foot" }, words, ...(isStoppable ? [stop] : [])));
  node.hidden = false;
  node.scrollIntoView({ block: "nearest" });
  const clock = setInterval(draw, 1000);
  draw();
  return {
    tell,
    // Its whole length is remembered as the pace, if it is known that it began and ended here.
    end({ isWhole = false } = {}) {
      if (isWhole && !node.hidden && (!first || !first.done)) keepPace(label, (Date.now() - began) / 1000, (unit && job?.total) || work);
      clearInterval(clock);
      node.hidden = true;
      node.replaceChildren();
    },
  };
}

export const inWords = (seconds) => `${roughly(seconds)} left`;

function roughly(seconds) {
  if (seconds < 5) return "a few seconds";
  if (seconds < 90) return `about ${5 * Math.round(seconds / 5)} seconds`;
  return `about ${Math.round(seconds / 60)} minutes`;
}
