// Terms are explained where they stand; the guide of a first game follows the table.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  // Where terms are explained; in the log they are no stops of the Tab key.
  const TEXTS = "[data-terms], #sentence, .head, #moves th, #thoughts th, #hinted th, #explained dd, #log li";
  const WAIT = 200;
  const source = document.getElementById("terms");
  const topics = source ? JSON.parse(source.textContent) : {};
  const known = new Map();  // explanations, as long as the table stays the same
  let pattern = null;
  let shown = null;
  let timer = 0;
  let wasPlay = false;

  const version = () => { const field = document.getElementById("version"); return field ? field.value : ""; };
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  function patternOf(terms) {
    const each = terms.sort((one, other) => other.length - one.length).map((term) => {
      const [first, rest] = [term[0], escaped(term.slice(1))];
      const either = first.toLowerCase() === first && first.toUpperCase() !== first;
      return (either ? `[${first}${first.toUpperCase()}]` : escaped(first)) + rest;
    });
    return new RegExp(`(?<![\\p{L}\\d+])(${each.join("|")})s?(?![\\p{L}\\d])`, "gu");
  }

  const topicOf = (word) => topics[word] || topics[word[0].toLowerCase() + word.slice(1)];

  // Each term once in a text.
  function wrap(text) {
    const inLog = text.closest("#log") !== null;
    const done = new Set([...text.querySelectorAll(".term")].map((term) => term.dataset.topic));
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    for (const node of nodes) {
      if (node.parentElement.closest("button, a, label, select, .term, script, svg")) continue;
      const words = node.data;
      const parts = [];
      let from = 0;
      for (const found of words.matchAll(pattern)) {
        const topic = topicOf(found[1]);
        if (!topic || done.has(topic)) continue;
        done.add(topic);
        const term = document.createElement("span");
        term.className = "term";
        term.dataset.topic = topic;
        term.textContent = found[0];
        if (!inLog) { term.tabIndex = 0; term.setAttribute("role", "button"); }
        parts.push(words.slice(from, found.index), term);
        from = found.index + found[0].length;
      }
      if (parts.length) node.replaceWith(...parts, words.slice(from));
    }
  }

  function wrapAll() {
    if (!pattern) return;
    for (const text of document.querySelectorAll(TEXTS)) wrap(text);
  }

  // ---- an explanation beside its term ----

  function box() {
    let found = document.getElementById("term-box");
    if (!found) {
      found = document.createElement("div");
      found.id = "term-box";
      found.setAttribute("role", "tooltip");
      found.addEventListener("pointerenter", () => clearTimeout(timer));
      found.addEventListener("pointerleave", () => later(hide));
      document.body.append(found);
    }
    return found;
  }

  function later(act) { clearTimeout(timer); timer = setTimeout(act, WAIT); }

  function hide() {
    clearTimeout(timer);
    if (shown) shown.removeAttribute("aria-describedby");
    shown = null;
    const found = document.getElementById("term-box");
    if (found) found.hidden = true;
  }

  async function explanation(topic) {
    const as = document.getElementById("as");
    const key = `${topic} ${version()}`;
    if (!known.has(key)) {
      const asked = new URLSearchParams({ name: topic, as: as ? as.value : "" });
      const answer = await fetch(`${source.dataset.from}?${asked}`);
      if (!answer.ok) return "";
      known.set(key, await answer.text());
    }
    return known.get(key);
  }

  async function show(term) {
    clearTimeout(timer);
    if (shown === term) return;
    hide();
    shown = term;
    const text = await explanation(term.dataset.topic).catch(() => "");
    if (shown !== term || !text) return;
    const found = box();
    found.innerHTML = `<dl>${text}</dl>`;
    found.hidden = false;
    term.setAttribute("aria-describedby", found.id);
    const at = term.getBoundingClientRect();
    const room = document.documentElement.clientWidth - found.offsetWidth - 8;
    found.style.left = `${Math.max(8, Math.min(at.left, room))}px`;
    const below = at.bottom + found.offsetHeight + 12 < innerHeight;
    found.style.top = `${below ? at.bottom + 6 : Math.max(4, at.top - found.offsetHeight - 6)}px`;
  }

  const termOf = (event) => event.target.closest && event.target.closest(".term");

  // ---- the guide ----

  function places(move) {
    const turn = document.getElementById("turn");
    const found = turn && JSON.parse(turn.textContent).moves.find(([text]) => text === move);
    return found ? found[1] : [];
  }

  const place = (name) => document.querySelector(`#board [data-place="${CSS.escape(name)}"]`);
  const button = (move) => document.querySelector(`#moves button[value="${CSS.escape(move)}"]`);

  function markSuggested() {
    for (const mark of document.querySelectorAll(".suggested-mark")) mark.remove();
    for (const other of document.querySelectorAll("button.suggested")) other.classList.remove("suggested");
    const suggestion = document.querySelector("#guide .suggestion");
    if (!suggestion) return;
    const { move } = suggestion.dataset;
    if (button(move)) button(move).classList.add("suggested");
    for (const name of places(move)) {
      const group = place(name);
      if (!group) continue;
      const [width, height] = group.dataset.size.split(" ").map(Number);
      const mark = document.createElementNS(SVG, "rect");
      mark.setAttribute("class", "suggested-mark");
      for (const [key, value] of [["x", -6], ["y", -6], ["width", width + 12], ["height", height + 12], ["rx", 9]]) mark.setAttribute(key, value);
      group.append(mark);
    }
  }

  function follow() {
    const guide = document.getElementById("guide");
    if (!guide || guide.dataset.version === version()) return;
    guide.dataset.version = version();
    const as = document.getElementById("as");
    fetch(`${guide.dataset.from}?${new URLSearchParams({ as: as ? as.value : "" })}`).then(async (answer) => {
      if (answer.status !== 200) return;  // the others move
      const inside = guide.contains(document.activeElement) || (wasPlay && document.activeElement === document.body);
      guide.innerHTML = await answer.text();
      guide.classList.remove("small");
      guide.scrollTop = 0;
      const next = guide.querySelector("[data-guide=play]");
      if (inside && wasPlay && next) next.focus({ preventScroll: true });
      settled();
    }).catch(() => { guide.dataset.version = ""; });  // the next change asks again
  }

  function showMove() {
    const guide = document.getElementById("guide");
    const { move } = guide.querySelector(".suggestion").dataset;
    const first = places(move).map(place).find(Boolean) || button(move);
    if (!first) return;
    guide.classList.add("small");
    wasPlay = false;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    first.scrollIntoView({ block: "center", inline: "center", behavior: calm ? "auto" : "smooth" });
    first.focus({ preventScroll: true });
  }

  function guideClicked(event) {
    const act = event.target.closest && event.target.closest("[data-guide]");
    if (!act) {
      const guide = event.target.closest && event.target.closest("#guide.small");
      if (guide) guide.classList.remove("small");
      wasPlay = wasPlay && event.detail === 0;
      return;
    }
    if (act.dataset.guide === "show") { showMove(); return; }
    const own = button(act.value);
    if (!own) return;  // without scripts the form does it
    event.preventDefault();
    wasPlay = true;
    act.disabled = false;
    own.click();
  }

  function settled() {
    wrapAll();
    markSuggested();
    follow();
    const hinted = document.getElementById("hinted");
    if (hinted && hinted.dataset.version !== version()) {
      hinted.dataset.version = version();
      hinted.replaceChildren();
    }
    const panel = document.getElementById("hint");
    if (panel) panel.hidden = document.querySelector("#moves a[href^='/review']") !== null;
    if (shown && !shown.isConnected) hide();
  }

  function begin() {
    if (Object.keys(topics).length) pattern = patternOf(Object.keys(topics));
    settled();
  }

  document.addEventListener("pointerover", (event) => {
    const term = termOf(event);
    if (term && event.pointerType === "mouse") later(() => show(term));
  });
  document.addEventListener("pointerout", (event) => { if (termOf(event) && event.pointerType === "mouse") later(hide); });
  document.addEventListener("focusin", (event) => { const term = termOf(event); if (term) show(term); else if (shown) hide(); });
  document.addEventListener("click", (event) => {
    const term = termOf(event);
    if (term) show(term); else if (!(event.target.closest && event.target.closest("#term-box"))) hide();
    guideClicked(event);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    const term = termOf(event);
    if (term && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); show(term); }
  });
  document.addEventListener("scroll", () => { if (shown && document.activeElement !== shown) hide(); }, { passive: true });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.closest("#hint")) document.getElementById("hinted").textContent = "Playing on …";
  });
  for (const failed of ["htmx:responseError", "htmx:sendError"]) {
    document.addEventListener(failed, (event) => { if (event.target.closest("#hint")) document.getElementById("hinted").replaceChildren(); });
  }
  document.addEventListener("DOMContentLoaded", begin);
  document.addEventListener("htmx:afterSettle", settled);
})();
