"use strict";
// Filters, whose state is in the address, and keys. Without this script everything is shown.
(() => {
  const form = document.getElementById("filters");
  const output = document.getElementById("count");
  const keys = document.getElementById("keys");
  const fields = ["spoke", "gateway", "policy", "severity"];
  const items = [...document.querySelectorAll("article.card, details.change, tr.item")];
  const rows = [...document.querySelectorAll(".matrix .row")];
  const chosenLine = document.getElementById("chosen");
  const listed = (id) => [...document.querySelectorAll(`#${id} option`)].map((option) => option.value);
  const spokes = listed("spoke-names");
  const names = listed("policy-names");
  const gateways = [...form.elements.gateway.options].slice(1).map((option) => option.value);
  const value = (name) => form.elements[name].value.trim();

  // Places in a list, as 0-3 7; what has none is about no place, and never left out.
  const places = (text) => (text || "").split(" ").filter(Boolean).map((part) => {
    const [first, last] = part.split("-").map(Number);
    return [first, last ?? first];
  });
  const covers = (text, wanted) => {
    const ranges = places(text);
    return ranges.some(([first, last]) => wanted.some((place) => first <= place && place <= last));
  };
  const matching = (list, text, exact) => list.flatMap((name, place) =>
    (exact ? name === text : name.toLowerCase().includes(text.toLowerCase())) ? [place] : []);

  function choose() {
    const spoke = value("spoke"), gateway = value("gateway");
    const policy = value("policy"), severity = value("severity");
    const one = spokes.includes(spoke);
    return {
      s: spoke && matching(spokes, spoke, one),
      g: gateway && matching(gateways, gateway, true),
      p: policy && matching(names, policy, names.includes(policy)),
      v: severity,
    };
  }

  function apply() {
    const chosen = choose();
    let shown = 0;
    for (const item of items) {
      const data = item.dataset;
      item.hidden = ["s", "g", "p"].some((key) => chosen[key] && !covers(data[key], chosen[key])) ||
        Boolean(chosen.v && data.v && data.v !== chosen.v);
      shown += item.hidden ? 0 : 1;
    }
    for (const row of rows) {
      row.hidden = Boolean(chosen.p && !covers(row.dataset.p, chosen.p));
    }
    for (const table of document.querySelectorAll(".matrix")) {
      [...table.tHead.rows[0].cells].slice(1).forEach((column, place) => {
        const gone = Boolean(chosen.s && !covers(column.dataset.s, chosen.s));
        for (const row of table.rows) { row.cells[place + 1].hidden = gone; }
      });
    }
    for (const section of document.querySelectorAll("main > section")) {
      const own = items.filter((item) => section.contains(item));
      section.classList.toggle("void", own.length > 0 && own.every((item) => item.hidden));
    }
    const active = Object.values(chosen).some(Boolean);
    output.textContent = active ? `${shown} of ${items.length} entries` : "";
    chosenLine.hidden = !active;
  }

  function remember() {
    const state = new URLSearchParams();
    for (const name of fields) { if (value(name)) { state.set(name, value(name)); } }
    const text = state.toString();
    history.replaceState(null, "", text ? `#?${text}` : "#");
  }

  function recall() {
    if (!location.hash.startsWith("#?")) { return; }
    const state = new URLSearchParams(location.hash.slice(2));
    for (const name of fields) {
      const field = form.elements[name];
      field.value = state.get(name) ?? "";
      if (field.selectedIndex === -1) { field.selectedIndex = 0; }
    }
    apply();
  }

  function reveal(id) {
    const target = document.getElementById(id);
    if (!target) { return; }
    if (target.tagName === "DETAILS") { target.open = true; }
    target.scrollIntoView();
    target.setAttribute("tabindex", "-1");
    target.focus({preventScroll: true});
  }

  function step(by) {
    const seen = items.filter((item) => !item.hidden);
    if (!seen.length) { return; }
    const at = seen.indexOf(document.activeElement.closest(".card, .item"));
    const next = seen[Math.min(Math.max(at + by, 0), seen.length - 1)];
    next.focus({preventScroll: true});
    next.scrollIntoView({block: "nearest"});
  }

  const actions = {
    j: () => step(1),
    k: () => step(-1),
    o: () => {
      const card = document.activeElement.closest("details");
      if (card) { card.open = !card.open; }
    },
    "/": () => form.elements.spoke.focus(),
    c: () => form.reset(),
    "?": () => keys.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, select, textarea");
    if (typing && event.key === "Escape") { event.target.blur(); return; }
    if (typing || keys.open || event.ctrlKey || event.metaKey || event.altKey) { return; }
    const action = actions[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link) { event.preventDefault(); reveal(link.getAttribute("href").slice(1)); }
  });
  document.getElementById("help").addEventListener("click", () => keys.showModal());
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => { apply(); remember(); });
  form.addEventListener("reset", () => setTimeout(() => { apply(); remember(); }));
  addEventListener("hashchange", recall);
  form.hidden = false;
  recall();
})();
