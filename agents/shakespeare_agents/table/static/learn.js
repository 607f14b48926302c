// Terms can be asked about where they stand (`explain.js`); the guide of a first game follows the table.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  // Where terms are explained; in the log they are no stops of the Tab key.
  const TEXTS = "[data-terms], #sentence, .head, #moves th, #thoughts th, #hinted th, #explained dd, #found dd, #log li";
  const source = document.getElementById("terms");
  const topics = source ? JSON.parse(source.textContent) : {};
  let pattern = null;
  let wasPlay = false;
  let sent = false;  // a move that the server has not answered yet

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

  function places(move) {
    const turn = document.getElementById("turn");
    const found = turn && JSON.parse(turn.textContent).moves.find(([text]) => text === move);
    return found ? found[1] : [];
  }

  // A place may be in a summary, too, which a wide screen does not show.
  const drawn = (name) => [...document.querySelectorAll(`#board [data-place="${CSS.escape(name)}"]`)].filter((it) => it.checkVisibility());
  const button = (move) => document.querySelector(`#moves button[value="${CSS.escape(move)}"]`);

  function markSuggested() {
    for (const mark of document.querySelectorAll(".suggested-mark")) mark.remove();
    for (const other of document.querySelectorAll("button.suggested")) other.classList.remove("suggested");
    const suggestion = document.querySelector("#guide .suggestion, #hinted [data-move]");
    if (!suggestion) return;
    const { move } = suggestion.dataset;
    if (button(move)) button(move).classList.add("suggested");
    for (const group of places(move).flatMap(drawn)) {
      const [width, height] = group.dataset.size.split(" ").map(Number);
      const mark = document.createElementNS(SVG, "rect");
      mark.setAttribute("class", "suggested-mark");
      for (const [key, value] of [["x", -6], ["y", -6], ["width", width + 12], ["height", height + 12], ["rx", 9]]) mark.setAttribute(key, value);
      group.append(mark);
    }
  }

  // While the others move, and until this page has shown their moves, nothing is suggested.
  function follow() {
    const guide = document.getElementById("guide");
    if (!guide) return;
    const said = document.getElementById("guide-says");
    const over = document.querySelector("#moves a[href^='/review']") !== null;
    const waits = !over && JSON.parse(document.getElementById("turn").textContent).moves.length === 0;
    guide.classList.toggle("waits", waits);
    if (waits) {
      guide.dataset.version = "";
      if (guide.contains(document.activeElement)) guide.focus({ preventScroll: true });
      said.replaceChildren();
    }
    if (waits || guide.dataset.version === version()) return;
    guide.dataset.version = version();
    const as = document.getElementById("as");
    fetch(`${guide.dataset.from}?${new URLSearchParams({ as: as ? as.value : "" })}`).then(async (answer) => {
      if (answer.status !== 200 || guide.classList.contains("waits")) return;
      const inside = guide.contains(document.activeElement) || (wasPlay && document.activeElement === document.body);
      said.innerHTML = await answer.text();
      small(wasFolded());
      const next = guide.querySelector("[data-guide=play]");
      if (inside && wasPlay && next) next.focus({ preventScroll: true });
      settled();
    }).catch(() => { guide.dataset.version = ""; });  // the next change asks again
  }

  // On a phone it folds to one line, and opens to be read again. Whoever folds it has it folded
  // for the rest of the game.
  const folded = () => `folded ${location.pathname}`;
  const wasFolded = () => sessionStorage.getItem(folded()) !== null;

  function small(isSmall) {
    const guide = document.getElementById("guide"), handle = document.getElementById("guide-handle");
    guide.classList.toggle("small", isSmall);
    handle.setAttribute("aria-expanded", String(!isSmall));
    handle.textContent = isSmall ? "Read again" : "Fold";
  }

  function showMove() {
    const { move } = document.querySelector("#guide .suggestion").dataset;
    const first = places(move).flatMap(drawn)[0] || button(move);
    if (!first) return;
    small(true);
    wasPlay = false;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    first.scrollIntoView({ block: "center", inline: "center", behavior: calm ? "auto" : "smooth" });
    first.focus({ preventScroll: true });
  }

  function guideClicked(event) {
    if (event.target.closest("#guide-handle")) {
      small(!document.getElementById("guide").classList.contains("small"));
      if (document.getElementById("guide").classList.contains("small")) sessionStorage.setItem(folded(), "");
      else sessionStorage.removeItem(folded());
    }
    const act = event.target.closest("[data-guide]");
    if (!act) { wasPlay = wasPlay && event.detail === 0; return; }
    event.preventDefault();  // without scripts the form does it
    if (act.dataset.guide === "show") { showMove(); return; }
    const own = button(act.value);
    wasPlay = true;
    if (!own || sent) return;
    sent = true;
    own.click();
  }

  function settled() {
    const hinted = document.getElementById("hinted");
    if (hinted && hinted.dataset.version !== version()) {
      hinted.dataset.version = version();
      hinted.replaceChildren();
    }
    wrapAll();
    markSuggested();
    follow();
    const panel = document.getElementById("hint");
    if (panel) panel.hidden = document.querySelector("#moves a[href^='/review']") !== null;
  }

  function begin() {
    if (Object.keys(topics).length) pattern = patternOf(Object.keys(topics));
    if (document.getElementById("guide")) small(wasFolded());
    settled();
  }

  // To open the hint is to ask for it.
  function opened(event) {
    const { target } = event;
    const asks = target.id === "hint" && target.open && !document.getElementById("hinted").hasChildNodes();
    if (asks) target.querySelector("form").requestSubmit();
  }

  document.addEventListener("click", guideClicked);
  document.addEventListener("toggle", opened, true);
  document.addEventListener("htmx:afterRequest", () => { sent = false; });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.closest("#hint")) document.getElementById("hinted").textContent = "Playing on …";
  });
  for (const failed of ["htmx:responseError", "htmx:sendError"]) {
    document.addEventListener(failed, (event) => { if (event.target.closest("#hint")) document.getElementById("hinted").replaceChildren(); });
  }
  document.addEventListener("DOMContentLoaded", begin);
  document.addEventListener("htmx:afterSettle", settled);
})();
