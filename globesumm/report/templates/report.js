"use strict";
(() => {
  const each = (selector, act, within = document) => within.querySelectorAll(selector).forEach(act);

  // Columns are sorted by a button in their heading; cells without a value stay last.
  const keyOf = (row, place) => row.cells[place].dataset.key ?? row.cells[place].textContent.trim();
  each("table.sortable", (table) => {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      const numeric = head.classList.contains("n");
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const up = now ? now === "descending" : !numeric;
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...body.rows].map((row) => [keyOf(row, place), row]);
        rows.sort(([a], [b]) => {
          if (a === "" || b === "") return (a === "") - (b === "");
          const order = numeric ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true });
          return up ? order : -order;
        });
        body.append(...rows.map(([, row]) => row));
      });
    });
  });

  // What stands behind a sentence: shown on hover and focus by the style, kept open by a click.
  const tell = (line, open) => {
    const button = line.querySelector(".cite");
    if (button) button.setAttribute("aria-expanded", String(open));
  };
  each(".line", (line) => {
    line.addEventListener("focusin", () => { line.classList.remove("shut"); tell(line, true); });
    line.addEventListener("focusout", () => {
      line.classList.remove("shut");
      tell(line, line.classList.contains("pinned"));
    });
    line.addEventListener("mouseleave", () => line.classList.remove("shut"));
  });
  each(".cite", (button) => {
    button.addEventListener("click", () => {
      const line = button.closest(".line");
      const pinned = line.classList.toggle("pinned");
      line.classList.toggle("shut", !pinned);
      tell(line, pinned);
    });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    each(".line.pinned, .line:hover, .line:focus-within", (line) => {
      line.classList.remove("pinned");
      line.classList.add("shut");
      tell(line, false);
    });
  });

  // A link to something inside closed parts opens them.
  const reveal = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    const target = name && document.getElementById(name);
    if (!target) return;
    for (let part = target; part; part = part.parentElement) {
      if (part.tagName === "DETAILS") part.open = true;
    }
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  // On paper everything is open.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => { closed.forEach((one) => { one.open = false; }); });

  // The list of events is narrowed by words of its rows.
  each(".filter", (box) => {
    const field = box.querySelector("input");
    const rows = [...document.getElementById(field.getAttribute("aria-controls")).tBodies[0].rows];
    const said = box.querySelector("[role=status]");
    box.hidden = false;
    field.addEventListener("input", () => {
      const wanted = field.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row) => {
        const text = row.textContent.toLocaleLowerCase();
        row.hidden = !wanted.every((word) => text.includes(word));
        shown += !row.hidden;
      });
      said.textContent = `${shown} of ${rows.length} events`;
    });
  });
})();
