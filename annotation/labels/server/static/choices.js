// Kinds whose answer is a choice, and matching, whose answer is a choice of sentences.
"use strict";

const choices = () => [...task.querySelectorAll(".choice")];

const chosen = () => choices().filter((one) => one.getAttribute("aria-pressed") === "true")
  .map((one) => one.dataset.value);

const choose = (values) => {
  for (const one of choices()) pressButton(one, values.includes(one.dataset.value));
};

const oneChoice = (answerOf, valueOf) => () => {
  for (const one of choices()) {
    one.addEventListener("click", () => { choose([one.dataset.value]); setCannot(false); changed(); });
  }
  return {
    get: () => (chosen().length ? answerOf(chosen()[0]) : "Choose an answer first."),
    set: (answer) => choose([valueOf(answer)]),
  };
};

const yesNo = (name) => oneChoice(
  (value) => ({ [name]: value === "yes" }),
  (answer) => (answer[name] ? "yes" : "no"),
);

KINDS["key-facts"] = yesNo("key");
KINDS["fact-support"] = yesNo("supported");

KINDS.preference = oneChoice(
  (value) => ({ preferred: value, first: task.querySelector("[data-first]").dataset.first }),
  (answer) => answer.preferred,
);

KINDS.relevance = () => {
  for (const one of choices()) {
    one.addEventListener("click", () => {
      const { value } = one.dataset;
      const others = chosen().filter((other) => other !== "none" && other !== value);
      const on = one.getAttribute("aria-pressed") !== "true";
      choose(value === "none" ? ["none"] : on ? [...others, value] : others);
      setCannot(false);
      changed();
    });
  }
  return {
    get: () => {
      const criteria = chosen().filter((value) => value !== "none");
      if (!chosen().length) return "Choose a criterion that is met, or none of these.";
      return { relevant: criteria.length > 0, criteria };
    },
    set: (answer) => choose(answer.relevant ? answer.criteria : ["none"]),
  };
};

KINDS.matching = () => {
  const rows = [...task.querySelectorAll(".sentences li")];
  const none = choices()[0];
  let here = 0;
  const isOn = (row) => row.classList.contains("chosen");
  const setOn = (row, on) => { row.classList.toggle("chosen", on); row.setAttribute("aria-selected", String(on)); };
  const go = (place) => {
    rows[here]?.classList.remove("here");
    here = Math.max(0, Math.min(rows.length - 1, place));
    if (rows[here]) arrive(rows[here]);
  };
  const toggle = (row) => { setOn(row, !isOn(row)); pressButton(none, false); setCannot(false); changed(); };
  rows.forEach((row, place) => row.addEventListener("click", () => { go(place); toggle(row); }));
  none.addEventListener("click", () => {
    rows.forEach((row) => setOn(row, false));
    pressButton(none, true);
    setCannot(false);
    changed();
  });
  onKey.push((key) => {
    if (key === "ArrowDown") go(here + 1);
    else if (key === "ArrowUp") go(here - 1);
    else if (key === " " && rows[here]) toggle(rows[here]);
    else if (/^[1-9]$/.test(key) && rows[Number(key) - 1]) { go(Number(key) - 1); toggle(rows[here]); }
    else return false;
    return true;
  });
  if (rows[0]) arrive(rows[0], false);
  const get = () => {
    const sentences = rows.filter(isOn).map((row) => Number(row.dataset.number));
    if (!sentences.length && none.getAttribute("aria-pressed") !== "true") {
      return "Choose the sentences that state it, or that none does.";
    }
    return { sentences };
  };
  const set = (answer) => {
    rows.forEach((row) => setOn(row, answer.sentences.includes(Number(row.dataset.number))));
    pressButton(none, !answer.sentences.length);
  };
  return { get, set };
};
