"use strict";
// Sorts tables, filters rows, and shows figures under the pointer. Without it the page shows everything.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const keys = ["language", "class", "workers", "ours"];
  const chosen = {};
  const matches = e => keys.every(k => !chosen[k] || e.dataset[k] === undefined || e.dataset[k] === chosen[k]);
  const name = e => e.dataset.name ?? e.querySelector("th")?.textContent;

  // Pictures of rows close the gaps of the rows that are hidden.
  const arrange = svg => {
    const rows = svg.querySelector("g.rows");
    if (!rows) return;
    let y = +rows.dataset.top, head = null;
    for (const g of rows.children) {
      if (g.classList.contains("head")) { head = g; head.style.display = "none"; continue; }
      const show = matches(g);
      g.style.display = show ? "" : "none";
      if (!show) continue;
      for (const e of head ? [head, g] : [g]) {
        e.style.display = "";
        e.setAttribute("transform", `translate(0 ${y})`);
        y += +e.dataset.h;
      }
      head = null;
    }
    const box = svg.getAttribute("viewBox").split(" ");
    box[3] = y + 6;
    svg.setAttribute("viewBox", box.join(" "));
  };

  const filter = () => {
    for (const row of all("tbody tr[data-class]")) row.hidden = !matches(row);
    for (const point of all("g.point")) point.style.display = matches(point) ? "" : "none";
    for (const table of all("table")) {
      const rows = all("tbody tr[data-class]", table);
      if (rows.length) table.closest(".wide").hidden = rows.every(r => r.hidden);
    }
    for (const svg of all("svg.chart")) {
      arrange(svg);
      const marks = all("g.row, g.point", svg);
      const figure = svg.closest("figure");
      if (figure && marks.length) figure.hidden = marks.every(g => g.style.display === "none");
    }
    const narrowed = keys.some(k => chosen[k]);
    for (const d of all("details")) {
      const rows = all("tbody tr[data-class]", d);
      if (!rows.length) continue;
      const some = rows.some(r => !r.hidden);
      d.hidden = !some;
      if (some && narrowed && chosen.workers && !d.parentElement.closest("details")) d.open = true;
    }
    const rows = all("section tbody tr[data-class]");
    const out = document.querySelector("form.filters output");
    out.textContent = narrowed ? `${rows.filter(r => !r.hidden).length} of ${rows.length} rows` : "";
  };

  const form = document.querySelector("form.filters");
  if (form) {
    form.hidden = false;
    form.addEventListener("change", e => { chosen[e.target.name] = e.target.value; filter(); });
    form.addEventListener("submit", e => e.preventDefault());
    form.reset();
  }

  // Pictures of the same rows follow the order of the table.
  const follow = table => {
    const order = all("tbody tr", table).map(name);
    for (const svg of all("svg.chart")) {
      const rows = svg.querySelector("g.rows");
      if (!rows || rows.querySelector("g.head")) continue;
      const first = rows.querySelector("g.row"), own = table.querySelector("tbody tr");
      if (!first || ["class", "workers"].some(k => first.dataset[k] !== own.dataset[k])) continue;
      const at = g => order.indexOf(g.dataset.name);
      if (all("g.row", rows).some(g => at(g) < 0)) continue;
      for (const g of all("g.row", rows).sort((a, b) => at(a) - at(b))) rows.append(g);
      arrange(svg);
    }
  };

  const value = cell => {
    if (cell.dataset.sort !== undefined) return +cell.dataset.sort;
    const text = cell.textContent.trim();
    return text === "" || text === "∞" ? null : text;
  };
  const compare = (a, b) => a === null ? (b === null ? 0 : 1) : b === null ? -1
    : typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  const sort = (table, column) => {
    const head = table.tHead.rows[0].cells[column];
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const th of table.tHead.rows[0].cells) th.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const keyed = [...body.rows].map(r => [value(r.cells[column]), r]);
    keyed.sort((a, b) => a[0] === null || b[0] === null ? compare(a[0], b[0]) : (up ? 1 : -1) * compare(a[0], b[0]));
    for (const [, r] of keyed) body.append(r);
    follow(table);
  };
  for (const table of all("table")) {
    if (!table.tBodies[0] || table.tBodies[0].rows.length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((th, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...th.childNodes);
      button.addEventListener("click", () => sort(table, column));
      th.append(button);
    });
  }

  // The figures of a mark follow the pointer; a click shows its row of the table.
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("aria-hidden", "true");
  tip.hidden = true;
  document.querySelector("main").append(tip);
  for (const g of all("svg.chart g.row, svg.chart g.point")) {
    const title = g.querySelector("title");
    if (!title) continue;
    const text = title.textContent;
    title.remove();
    g.addEventListener("pointermove", e => {
      tip.textContent = text;
      tip.hidden = false;
      const box = tip.getBoundingClientRect();
      tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - box.width - 8)) + "px";
      tip.style.top = (e.clientY + 18 + box.height > innerHeight ? e.clientY - box.height - 10 : e.clientY + 18) + "px";
    });
    g.addEventListener("pointerleave", () => { tip.hidden = true; });
    g.addEventListener("click", () => {
      const row = all("section tbody tr[data-class]").find(r => name(r) === g.dataset.name && ["class", "workers"].every(k => r.dataset[k] === g.dataset[k]));
      if (!row) return;
      for (const r of all("tr.found")) r.classList.remove("found");
      row.classList.add("found");
      row.scrollIntoView({ block: "center" });
    });
  }

  // Paper cannot be clicked.
  addEventListener("beforeprint", () => { for (const d of all("details")) d.open = true; });
})();
