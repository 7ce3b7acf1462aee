// Two numbered lists: marking what they do to each other, or reviewing what a model found.
"use strict";

KINDS.issues = () => (task.querySelector(".findings") ? reviewing() : marking());

const listRows = (name) => [...task.querySelectorAll(`[data-list=${name}] li`)];

const marking = () => {
  const sides = { first: listRows("first"), second: listRows("second") };
  const list = task.querySelector(".issues");
  const causes = JSON.parse(list.dataset.causes);
  const place = { first: 0, second: 0 };
  let side = sides.first.length ? "first" : "second";
  let issues = [];
  let at = -1;

  const rows = () => [...sides.first, ...sides.second];
  const isChosen = (row) => row.classList.contains("chosen");
  const numbers = (name) => sides[name].filter(isChosen).map((row) => Number(row.dataset.number));

  const go = (name, number) => {
    if (!sides[name].length) return;
    side = name;
    place[name] = Math.max(0, Math.min(sides[name].length - 1, number));
    rows().forEach((row) => row.classList.remove("here"));
    arrive(sides[name][place[name]]);
  };
  const toggle = (row) => row.setAttribute("aria-selected", String(row.classList.toggle("chosen")));

  const add = (kind) => {
    const first = numbers("first");
    const second = numbers("second");
    const count = Number(first.length > 0) + Number(second.length > 0);
    const needed = kind === "omission" ? 1 : 2;
    if (count !== needed) {
      say(`Choose sentences of ${needed === 1 ? "one list" : "both lists"} first (Space).`, "bad");
      return;
    }
    const known = issues.findIndex((one) => JSON.stringify([one.kind, one.first, one.second])
      === JSON.stringify([kind, first, second]));
    if (known < 0) issues.push({ kind, first, second, cause: null, strategy: null });
    at = known < 0 ? issues.length - 1 : known;
    rows().filter(isChosen).forEach(toggle);
    setCannot(false);
    changed();
    draw();
    if (kind === "conflict" && !issues[at].cause) say("Say its cause: 1 to 5.");
  };

  const remove = (number) => {
    issues.splice(number, 1);
    at = Math.min(at, issues.length - 1);
    changed();
    draw();
  };

  const setCause = (number, cause) => {
    if (issues[number]?.kind !== "conflict") return false;
    issues[number].cause = cause;
    changed();
    draw();
    return true;
  };

  const card = (issue, number) => {
    const row = made("li", "", `issue ${issue.kind}${number === at ? " here" : ""}`);
    const where = ["first", "second"].filter((name) => issue[name].length)
      .map((name) => `${name} ${issue[name].join(", ")}`).join(" · ");
    const head = made("p", "", "issue-head");
    head.append(made("span", issue.kind, "label"), made("span", where));
    const drop = made("button", "✕", "drop");
    drop.type = "button";
    drop.title = "remove";
    drop.setAttribute("aria-label", `remove the ${issue.kind} ${where}`);
    drop.addEventListener("click", (event) => { event.stopPropagation(); remove(number); });
    head.append(drop);
    row.append(head);
    row.addEventListener("click", () => { if (at !== number) { at = number; draw(); } });
    if (issue.kind === "conflict") {
      const line = made("p", "", "causes");
      causes.forEach((cause, place) => {
        const button = made("button", "", "cause");
        button.type = "button";
        button.append(made("kbd", String(place + 1)), made("span", cause));
        pressButton(button, issue.cause === cause);
        button.addEventListener("click", (event) => {
          event.stopPropagation();
          at = number;
          setCause(number, cause);
        });
        line.append(button);
      });
      const strategy = document.createElement("input");
      strategy.className = "strategy";
      strategy.dir = "auto";
      strategy.maxLength = 1000;
      strategy.placeholder = "how to settle it (s)";
      strategy.setAttribute("aria-label", `how to settle the conflict ${where}`);
      strategy.value = issue.strategy ?? "";
      strategy.addEventListener("input", () => { issue.strategy = strategy.value || null; changed(); });
      strategy.addEventListener("keydown", (event) => {
        if (event.key === "Escape" || event.key === "Enter") { strategy.blur(); event.preventDefault(); }
      });
      row.append(line, strategy);
    }
    return row;
  };

  const draw = () => {
    list.replaceChildren(...issues.map(card));
    rows().forEach((row) => row.classList.remove("redundancy", "omission", "conflict", "of-issue"));
    issues.forEach((issue, number) => {
      for (const name of ["first", "second"]) {
        for (const one of issue[name]) {
          sides[name][one - 1]?.classList.add(issue.kind, ...(number === at ? ["of-issue"] : []));
        }
      }
    });
    list.querySelector(".here") && inSight(list.querySelector(".here"));
  };

  for (const name of ["first", "second"]) {
    sides[name].forEach((row, number) => row.addEventListener("click", () => { go(name, number); toggle(row); }));
  }
  for (const button of task.querySelectorAll("[data-mark]")) {
    button.addEventListener("click", () => add(button.dataset.mark));
  }
  onKey.push((key) => {
    if (key === "ArrowDown") go(side, place[side] + 1);
    else if (key === "ArrowUp") go(side, place[side] - 1);
    else if (key === "ArrowRight") go("second", place.second);
    else if (key === "ArrowLeft") go("first", place.first);
    else if (key === " ") { if (sides[side][place[side]]) toggle(sides[side][place[side]]); }
    else if (key === "j" && issues.length) { at = Math.min(at + 1, issues.length - 1); draw(); }
    else if (key === "k" && issues.length) { at = Math.max(at - 1, 0); draw(); }
    else if (key === "d" && issues[at]) remove(at);
    else if (key === "s" && issues[at]?.kind === "conflict") list.querySelectorAll("li")[at].querySelector("input").focus();
    else if (/^[1-5]$/.test(key)) return setCause(at, causes[Number(key) - 1]);
    else return false;
    return true;
  });
  go(side, 0);

  return {
    get: () => {
      const open = issues.findIndex((one) => one.kind === "conflict" && !one.cause);
      if (open < 0) return { issues, reviewed: [] };
      at = open;
      draw();
      return "Say the cause of the conflict: 1 to 5.";
    },
    set: (answer) => { issues = structuredClone(answer.issues); at = issues.length - 1; draw(); },
  };
};

const reviewing = () => {
  const findings = [...task.querySelectorAll("[data-finding]")];
  const said = findings.map(() => null);
  let at = 0;

  const draw = () => {
    findings.forEach((finding, number) => {
      finding.classList.toggle("here", number === at);
      for (const button of finding.querySelectorAll("[data-right]")) {
        pressButton(button, said[number] === (button.dataset.right === "yes"));
      }
    });
    for (const name of ["first", "second"]) {
      const named = JSON.parse(findings[at].dataset[name]);
      listRows(name).forEach((row) => row.classList.toggle("of-issue", named.includes(Number(row.dataset.number))));
    }
    inSight(findings[at]);
  };
  const go = (number) => { at = Math.max(0, Math.min(findings.length - 1, number)); draw(); };
  const set = (number, right) => {
    said[number] = right;
    setCannot(false);
    changed();
    const open = said.indexOf(null);
    go(open < 0 ? number : open);
  };
  findings.forEach((finding, number) => {
    finding.addEventListener("click", () => go(number));
    for (const button of finding.querySelectorAll("[data-right]")) {
      button.addEventListener("click", (event) => {
        event.stopPropagation();
        set(number, button.dataset.right === "yes");
      });
    }
  });
  onKey.push((key) => {
    if (key === "ArrowDown" || key === "j") go(at + 1);
    else if (key === "ArrowUp" || key === "k") go(at - 1);
    else if (key === "y" || key === "m") set(at, key === "y");
    else return false;
    return true;
  });
  draw();
  return {
    get: () => (said.includes(null) ? "Say of every finding whether it is right." : { issues: [], reviewed: said }),
    set: (answer) => { answer.reviewed.forEach((right, number) => { said[number] = right; }); draw(); },
  };
};
