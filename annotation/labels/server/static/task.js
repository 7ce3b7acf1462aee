// What every kind of task shares: keeping, undo, notes, drafts, time at work.
"use strict";

const task = document.getElementById("task");
const note = document.getElementById("note");
const statusLine = document.getElementById("status");
const cannot = document.getElementById("cannot");

const KINDS = {};  // name -> () => { get(): answer, or a text that says what is missing; set(answer) }
let control = null;
let sending = false;

const say = (text, kind = "") => {
  statusLine.textContent = text;
  statusLine.className = kind;
};

// Time at work: seconds in which the page was to be seen and somebody did something on it within
// the last minute.
const IDLE = 60_000;
let seconds = 0;
let lastSign = performance.now();
let lastTick = lastSign;
const count = () => {
  const now = performance.now();
  if (document.visibilityState === "visible" && lastTick - lastSign < IDLE) {
    seconds += (now - lastTick) / 1000;
  }
  lastTick = now;
};
for (const name of ["keydown", "pointerdown", "pointermove", "scroll", "touchstart"]) {
  document.addEventListener(name, () => { count(); lastSign = performance.now(); }, { passive: true });
}
setInterval(count, 1000);
document.addEventListener("visibilitychange", count);

// A draft is what is not kept yet; it outlives a closed page and a server that is away.
const draftName = `draft ${location.pathname}`;
const draft = {
  save() {
    const held = { version: task.dataset.version, answer: current(), note: note.value };
    try { localStorage.setItem(draftName, JSON.stringify(held)); } catch { /* no place: no draft */ }
  },
  load() {
    try {
      const held = JSON.parse(localStorage.getItem(draftName));
      return held && held.version === task.dataset.version ? held : null;
    } catch { return null; }
  },
  drop() { try { localStorage.removeItem(draftName); } catch { /* there was none */ } },
};

const isCannot = () => cannot.getAttribute("aria-pressed") === "true";
const setCannot = (on) => {
  cannot.setAttribute("aria-pressed", String(on));
  task.classList.toggle("off", on);
};

// The answer as it stands: null where it cannot be judged, a text where something is missing.
const current = () => (isCannot() ? null : control.get());

const changed = () => { say(""); draft.save(); };

const post = (address, content) => fetch(address, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(content),
  redirect: "error",
});

const wait = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

// Sends until somebody answers: the ticket makes of any number of tries one label.
const send = async (address, content, what) => {
  if (sending) return;
  sending = true;
  for (let tries = 0; ; tries += 1) {
    let reply, said;
    try {
      reply = await post(address, content);
      if (reply.status >= 500) throw new Error(await reply.json().then((told) => told.error, () => ""));
      said = await reply.json().catch(() => ({
        error: `${what} is not kept: the server says ${reply.status}. Has your link been renewed? What you answered stays on this page.`,
      }));
    } catch (error) {
      // A full disk, say; where the server is away there is nobody to give a reason.
      const reason = reply && error.message ? error.message : "the server does not answer";
      say(`${what} is not kept yet: ${reason}. Trying again …`, "bad");
      await wait(Math.min(500 * 2 ** tries, 5000));
      continue;
    }
    sending = false;
    if (reply.ok) return said;
    if (said.reload) {
      try { sessionStorage.setItem("said", said.error); } catch { /* it is said without */ }
      location.reload();
      return null;
    }
    say(said.error, "bad");
    return null;
  }
};

const keep = async () => {
  const answer = current();
  if (typeof answer === "string") { say(answer, "bad"); return; }
  if (answer === null && !note.value.trim()) {
    say("Say in the note why it cannot be judged.", "bad");
    note.focus();
    return;
  }
  count();
  draft.save();
  say("…");
  const { ticket } = task.dataset;
  const said = await send(location.pathname, { ticket, answer, note: note.value, seconds }, "Your answer");
  if (!said) return;
  draft.drop();
  location.assign(said.next);
};

const goTo = async (address, content, what) => {
  const said = await send(address, content, what);
  if (!said) return;
  draft.drop();
  location.assign(said.next);
};

const showVerdicts = async () => {
  const said = await send(`${location.pathname}/verdicts`, {}, "Your question");
  if (!said) return;
  const list = document.createElement("dl");
  list.className = "said";
  for (const [name, lines] of said.verdicts) {
    list.append(made("dt", name), made("dd", lines.join("; ")));
  }
  document.getElementById("said").replaceChildren(list);
  document.getElementById("verdicts").open = true;
};

// An element with a text; what comes from data is only ever a text.
const made = (tag, text = "", name = "") => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (name) element.className = name;
  if (text) element.dir = "auto";
  return element;
};

const pressButton = (button, on) => button.setAttribute("aria-pressed", String(on));

const inSight = (element) => element.scrollIntoView({ block: "nearest" });

// A row of a list is where one is now, for eyes and for screen readers.
const arrive = (row, scroll = true) => {
  const list = row.parentElement;
  row.classList.add("here");
  list.setAttribute("aria-activedescendant", row.id);
  const focused = document.activeElement;
  if (focused !== list && focused.matches("[role=listbox]")) list.focus({ preventScroll: true });
  if (scroll) inSight(row);
};

const begin = () => {
  control = KINDS[task.dataset.kind]();
  const kept = JSON.parse(task.dataset.answer);
  const held = draft.load();
  let said = "";
  try { said = sessionStorage.getItem("said") ?? ""; sessionStorage.removeItem("said"); } catch { /* none */ }
  if (kept) control.set(kept);
  else if (note.value) setCannot(true);
  if (held && typeof held.answer !== "string" && JSON.stringify(held.answer) !== JSON.stringify(current())) {
    setCannot(held.answer === null);
    if (held.answer) control.set(held.answer);
    note.value = held.note;
    say(said
      ? `${said}. Shown is your answer from that page: Enter keeps it, u takes the other back.`
      : "This is what you had begun to answer; it is not kept yet.", "bad");
  } else if (said) {
    say(`${said}.`, "bad");
  }
  document.getElementById("keep").addEventListener("click", keep);
  document.getElementById("later")?.addEventListener("click", () => goTo(`${location.pathname}/later`, {}, "That"));
  document.getElementById("ask")?.addEventListener("click", showVerdicts);
  document.getElementById("undo").addEventListener("click", () => {
    goTo(task.dataset.undoAt, { label: task.dataset.undo }, "That");
  });
  cannot.addEventListener("click", () => {
    setCannot(!isCannot());
    if (isCannot()) note.focus();
    changed();
  });
  note.addEventListener("input", changed);
  note.addEventListener("keydown", (event) => {
    if (event.key === "Escape" || (event.key === "Enter" && event.ctrlKey)) {
      note.blur();
      event.preventDefault();
      if (event.key === "Enter") keep();
    }
  });
  onKey.push((key) => {
    if (key === "n") { note.focus(); return true; }
    if (key === "?") { const keys = document.getElementById("keys"); keys.open = !keys.open; return true; }
    return false;
  });
  document.body.dataset.ready = "yes";
};

document.addEventListener("DOMContentLoaded", begin);
