// Key points: excerpts highlighted word by word or sentence by sentence, and links between them.
// Places come from the server, in code points; nothing is counted here.
"use strict";

KINDS["key-points"] = () => {
  const texts = [...task.querySelectorAll(".points")].map((section) => ({
    section,
    document: Number(section.dataset.document),
    words: [...section.querySelectorAll(".word")],
    rtl: getComputedStyle(section.querySelector(".running")).direction === "rtl",
  }));
  const input = document.getElementById("link");
  let spans = [];  // { document, start, end, links: Set of spans of documents }
  let at = 0;  // the text
  let word = 0;
  let anchor = null;
  let tells = 0;  // the place of the point of the summary that links go to

  const ordered = (isPoint) => spans.filter((one) => (one.document > 0) === isPoint)
    .sort((a, b) => a.document - b.document || a.start - b.start);
  const points = () => ordered(true);
  const told = () => ordered(false);
  const start = (one) => Number(one.dataset.start);
  const end = (one) => Number(one.dataset.end);
  const text = () => texts[at];
  const range = () => (anchor === null ? [word, word] : [Math.min(anchor, word), Math.max(anchor, word)]);

  // The words within a span, found by halves: a document may have a hundred thousand.
  const within = (span) => {
    const { words } = texts.find((one) => one.document === span.document);
    let [low, high] = [0, words.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (start(words[middle]) < span.start) low = middle + 1;
      else high = middle;
    }
    let until = low;
    while (until < words.length && end(words[until]) <= span.end) until += 1;
    return words.slice(low, until);
  };

  let touched = [];  // what was drawn on, and nothing else is cleared
  const paint = (element, ...names) => { element.classList.add(...names); touched.push(element); };

  const draw = () => {
    for (const element of touched) {
      element.classList.remove("here", "range", "marked", "current", "unlinked");
      delete element.dataset.label;
    }
    touched = [];
    const label = (span, name, extra) => {
      const covered = within(span);
      covered.forEach((one, place) => {
        paint(one, "marked", ...extra);
        if (place < covered.length - 1) paint(one.nextElementSibling, "marked", ...extra);
      });
      if (covered[0]) covered[0].dataset.label = name;
    };
    const linked = new Set(told().flatMap((one) => [...one.links]));
    const hasSummary = texts.some((one) => one.document === 0);
    points().forEach((one, place) => label(one, `D${place + 1}`, hasSummary && !linked.has(one) ? ["unlinked"] : []));
    told().forEach((one, place) => label(one, `S${place + 1}`, [
      ...(place === tells ? ["current"] : []), ...(one.links.size ? [] : ["unlinked"]),
    ]));
    const [from, to] = range();
    text().words.slice(from, to + 1).forEach((one) => paint(one, anchor === null ? "here" : "range"));
    if (text().words[word]) paint(text().words[word], "here");
    drawList("points", points(), (one, place) => [`D${place + 1}`, linked.has(one) || !hasSummary ? "" : "omitted"]);
    drawList("told", told(), (one, place) => {
      const names = points().flatMap((point, number) => (one.links.has(point) ? [`D${number + 1}`] : []));
      return [`S${place + 1}`, names.length ? `= ${names.join(", ")}` : "hallucinated"];
    });
  };

  const drawList = (name, held, told_) => {
    const list = task.querySelector(`[data-side=${name}]`);
    if (!list) return;
    list.replaceChildren(...held.map((one, place) => {
      const [label, fate] = told_(one, place);
      const row = made("li", "", name === "told" && place === tells ? "here" : "");
      row.append(made("span", label, "label"), made("span", excerpt(one), "excerpt"), made("span", fate, "small"));
      row.addEventListener("click", () => {
        if (name === "told") tells = place;
        else link(place);
        draw();
      });
      return row;
    }));
  };

  const excerpt = (span) => within(span)
    .map((one) => one.textContent + one.nextElementSibling.textContent).join("").trim();

  const go = (place) => {
    word = Math.max(0, Math.min(text().words.length - 1, place));
    draw();
    if (text().words[word]) inSight(text().words[word]);
  };

  const sentence = (by) => {
    const { words } = text();
    if (!words.length) return;
    const here = words[word].parentElement;
    const next = by > 0 ? here.nextElementSibling : here.previousElementSibling;
    if (next) go(words.indexOf(next.querySelector(".word")));
  };

  const mark = () => {
    const { words, document: number } = text();
    if (!words.length) return;
    let [from, to] = range();
    if (anchor === null) {
      const mine = [...words[word].parentElement.querySelectorAll(".word")];
      [from, to] = [words.indexOf(mine[0]), words.indexOf(mine.at(-1))];
    }
    const span = { document: number, start: start(words[from]), end: end(words[to]), links: new Set() };
    if (spans.some((one) => one.document === number && one.start < span.end && span.start < one.end)) {
      say("There is a highlight already: remove it first (d).", "bad");
      return;
    }
    spans.push(span);
    anchor = null;
    if (number === 0) tells = told().indexOf(span);
    setCannot(false);
    changed();
    draw();
  };

  const remove = () => {
    const one = text().words[word];
    const span = one && spans.find((held) => held.document === text().document
      && held.start <= start(one) && end(one) <= held.end);
    if (!span) { say("There is no highlight under the cursor.", "bad"); return; }
    spans = spans.filter((held) => held !== span);
    spans.forEach((held) => held.links.delete(span));
    tells = Math.max(0, Math.min(tells, told().length - 1));
    changed();
    draw();
  };

  const link = (place) => {
    const from = told()[tells];
    const to = points()[place];
    if (!from || !to) { say(from ? `There is no point D${place + 1}.` : "Highlight a point of the summary first.", "bad"); return; }
    if (!from.links.delete(to)) from.links.add(to);
    changed();
    draw();
  };

  texts.forEach((one, number) => one.words.forEach((element, place) => {
    element.addEventListener("click", () => { if (at !== number) anchor = null; at = number; go(place); });
  }));
  const extend = () => { anchor = anchor === null ? word : null; draw(); };
  const doing = { extend, mark, remove };
  for (const button of task.querySelectorAll("[data-do]")) {
    button.addEventListener("click", () => doing[button.dataset.do]());
  }
  input?.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    if (event.key === "Enter" && /^[0-9]+$/.test(input.value)) link(Number(input.value) - 1);
    input.value = "";
    input.blur();
  });
  onKey.push((key) => {
    if (key === "ArrowDown") sentence(1);
    else if (key === "ArrowUp") sentence(-1);
    else if (key === "ArrowRight") go(word + (text().rtl ? -1 : 1));
    else if (key === "ArrowLeft") go(word + (text().rtl ? 1 : -1));
    else if (key === "t") { at = (at + 1) % texts.length; anchor = null; go(0); }
    else if (key === " ") mark();
    else if (key === "Escape") { anchor = null; draw(); }
    else if (key === "j") { tells = Math.min(tells + 1, Math.max(0, told().length - 1)); draw(); }
    else if (key === "k") { tells = Math.max(tells - 1, 0); draw(); }
    else if (key === "l" && input) { input.focus(); }
    else if (/^[1-9]$/.test(key)) link(Number(key) - 1);
    else return false;
    return true;
  });
  draw();

  const plain = ({ document: number, start: from, end: to }) => ({ document: number, start: from, end: to });
  return {
    get: () => ({
      points: points().map(plain),
      told: told().map(plain),
      links: told().flatMap((one, place) => [...one.links].map((point) => [points().indexOf(point), place])),
    }),
    set: (answer) => {
      const read = (one) => ({ ...plain(one), links: new Set() });
      const documents = answer.points.map(read);
      const summary = answer.told.map(read);
      for (const [point, place] of answer.links) summary[place].links.add(documents[point]);
      spans = [...documents, ...summary];
      draw();
    },
  };
};
