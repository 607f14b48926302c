// The board: marks the places where legal moves are clicked, and plays the move that is chosen.
// The places of a move are clicked one after the other. Then the script clicks its button in the list.
// The event "board:changed" says that places may hold other things than before.
"use strict";

(() => {
  let turn = { moves: [], changed: [], confirm: [] };
  const narrow = matchMedia("(max-width: 60rem)");
  let chosen = [];
  let asked = "";  // the move that the person is asked to confirm
  let playing = false;  // whether the click on a move's button comes from this script
  let byKeyboard = false;
  let last = "";
  let opened = new Set();

  // A place may also be drawn in a summary. Only one of its drawings must be large enough for a finger.
  const groups = (name) => [...document.querySelectorAll(`#board [data-place="${CSS.escape(name)}"]`)];
  const FINGER = 44, MOUSE = 24;  // pixels
  // A click on one of these does not cancel a move that has begun.
  const KEEPS = "#moves, #guide, #explained, #strip, dialog, details, .term, .top";

  function touchable(group) {
    if (!group.closest(".summary")) return true;
    const { width, height } = group.getBoundingClientRect();
    return Math.min(width, height) >= (narrow.matches ? FINGER : MOUSE);
  }

  const placesOf = (move) => turn.moves.find(([text]) => text === move)?.[1] ?? [];
  const button = (move) => document.querySelector(`#moves button[value="${CSS.escape(move)}"]`);
  const wordsOf = (move) => turn.moves.find(([text]) => text === move)?.[2] ?? "";
  const say = (words) => { document.getElementById("announce").textContent = words; };

  function frame(group, kind, room) {
    const [width, height] = group.dataset.size.split(" ").map(Number);
    const mark = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    mark.setAttribute("class", kind);
    for (const [name, value] of [["x", -room], ["y", -room], ["width", width + 2 * room], ["height", height + 2 * room], ["rx", 4 + room]]) {
      mark.setAttribute(name, value);
    }
    group.append(mark);
  }

  // Makes a place large enough for a finger, without changing how it looks.
  function widen(group) {
    if (!narrow.matches || !group.checkVisibility()) return;
    const [width, height] = group.dataset.size.split(" ").map(Number);
    const finger = (FINGER + 1) / group.getScreenCTM().a;
    if (Math.min(width, height) < finger) {
      group.parentElement.append(group);  // before its neighbours, which leave it less room otherwise
      frame(group, "hit", 0);
      const hit = group.lastChild;
      hit.setAttribute("x", Math.min(0, (width - finger) / 2));
      hit.setAttribute("y", Math.min(0, (height - finger) / 2));
      hit.setAttribute("width", Math.max(width, finger));
      hit.setAttribute("height", Math.max(height, finger));
    }
  }

  // Returns the moves that begin with the places clicked so far.
  function left() {
    return turn.moves.filter(([, places]) => places.length && chosen.every((name, at) => places[at] === name));
  }

  function unmark() {
    for (const mark of document.querySelectorAll("#board :is(.mark, .hit, .changed-mark)")) mark.remove();
    for (const panel of document.querySelectorAll("#board .legal")) panel.classList.remove("legal");
    for (const group of document.querySelectorAll("#board .target, #board .chosen")) {
      group.classList.remove("target", "chosen");
      for (const name of ["tabindex", "role", "aria-label"]) group.removeAttribute(name);
    }
  }

  function mark() {
    const focused = document.activeElement && document.activeElement.closest("#board [data-place]");
    unmark();
    for (const group of turn.changed.flatMap(groups)) frame(group, "changed-mark", 2);
    const next = new Map();
    for (const [, places, words] of left()) {
      const name = places[chosen.length];
      if (name !== undefined) next.set(name, [...(next.get(name) || []), words]);
    }
    for (const [name, words] of next) for (const group of groups(name)) {
      group.closest(".board-panel").classList.add("legal");
      if (!touchable(group)) continue;
      group.classList.add("target");
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "button");
      const more = words.length > 3 ? ` and ${words.length - 2} more` : "";
      group.setAttribute("aria-label", words.slice(0, more ? 2 : 3).join("; or ") + more);
      frame(group, "mark", 2);
    }
    // Targets may make a panel larger, so their sizes are final only now.
    for (const group of document.querySelectorAll("#board .target")) widen(group);
    const last = placesOf(asked).slice(-1);
    for (const group of [...chosen, ...last].flatMap(groups)) {
      group.classList.add("chosen");
      frame(group, "mark", 2);
      if (group.classList.contains("target")) group.setAttribute("aria-label", `Confirm: ${wordsOf(asked)}`);
    }
    for (const it of document.querySelectorAll("#moves button[name=move]")) it.classList.toggle("asked", it.value === asked);
    if (focused && focused.classList.contains("target")) focused.focus({ preventScroll: true });
    list();
  }

  // Returns the first words that all moves still possible share, and what to do next.
  function soFar() {
    const touch = matchMedia("(hover: none)").matches ? "Tap" : "Click";
    if (asked) return `${wordsOf(asked)}? ${byKeyboard ? "Press Enter" : `${touch} it`} again to confirm.`;
    const [first = [], ...others] = left().map(([, , words]) => words.split(" "));
    const apart = first.findIndex((word, at) => others.some((it) => it[at] !== word));
    const begun = apart > 0 ? `${first.slice(0, apart).join(" ")} …: now` : "Now";
    const cancel = matchMedia("(hover: none)").matches ? "tap elsewhere" : "press Escape or click elsewhere";
    return `${begun} choose where it goes. To cancel, ${cancel}.`;
  }

  // Shows what to do next, and hides the moves in the list that are no longer possible.
  function list() {
    const field = document.getElementById("find"), step = document.getElementById("step");
    if (step) step.textContent = chosen.length || asked ? soFar() : step.dataset.first || "";
    if (!field) return;
    const words = field.value.toLowerCase().split(/\s+/);
    const meant = new Set(left().map(([move]) => move));
    let shown = 0;
    for (const move of document.querySelectorAll("#moves button[name=move]")) {
      const text = `${move.value} ${move.textContent}`.toLowerCase();
      move.hidden = !words.every((word) => text.includes(word)) || (chosen.length > 0 && !meant.has(move.value));
      shown += !move.hidden;
    }
    if (!shown) step.textContent = `No move contains “${field.value}”.`;
  }

  function putBack() {
    chosen = [];
    asked = "";
    mark();
  }

  const confirms = () => localStorage.getItem("confirm") !== "no";
  const isToConfirm = (move) => move !== asked && confirms() && turn.confirm.includes(move);

  // Asks to confirm a move that a slip makes expensive. Its last place, or its button, confirms it.
  function select(move) {
    asked = move;
    chosen = placesOf(move).slice(0, -1);
    mark();
  }

  function play(move) {
    if (isToConfirm(move)) {
      select(move);
      return;
    }
    submit(move);
  }

  function submit(move) {
    putBack();  // in case the server does not answer
    playing = true;
    button(move)?.click();
    playing = false;
  }

  // Asks which move to play if several have the places that were clicked.
  function ask(moves, onward) {
    const answers = moves.map(([move, , words]) => [words, () => play(move)]);
    if (onward) answers.push(["Go on to the next place", mark]);
    page.ask("Which move?", answers, putBack);
  }

  const targets = () => [...document.querySelectorAll("#board .target")].filter((it) => it.checkVisibility());

  // Scrolls the first place that may be clicked into view, unless another one is in view.
  function reach() {
    const found = targets();
    const top = document.querySelector(".bar").getBoundingClientRect().bottom;
    const below = ["moves", "guide"].map((id) => document.getElementById(id)).filter((it) => it && getComputedStyle(it).position === "fixed");
    const bottom = Math.min(innerHeight, ...below.map((it) => it.getBoundingClientRect().top));
    const seen = found.some((it) => {
      const box = it.getBoundingClientRect();
      return box.top >= top && box.bottom <= bottom;
    });
    if (found.length && !seen) found[0].scrollIntoView({ block: "center" });
  }

  function unfold(panel, open) {
    panel.classList.toggle("open", open);
    panel.querySelector(".unfold").setAttribute("aria-expanded", String(open));
  }

  // Closes the board of another seat, which lies over the table on a wide screen.
  function cover() {
    for (const panel of document.querySelectorAll(".column.seats .board-panel")) opened.delete(panel.id);
  }

  const inPanel = (name) => groups(name).find((it) => it.closest(".folds > .pieces"));

  // Opens one panel on a narrow screen: the one with the first legal place, or else the viewer's own.
  function fold(anew) {
    const panels = [...document.querySelectorAll("#board .board-panel:is(.folds, .aside)")];
    if (anew) {
      const name = turn.moves.map(([, places]) => places[0]).find((it) => it !== undefined);
      const at = (name !== undefined && inPanel(name)) || document.querySelector(".column.own .of-seat .pieces > *");
      const first = name !== undefined && groups(name)[0];
      document.querySelector(".table-page").classList.toggle("table-first", Boolean(first && first.closest(".column.table .folds")));
      if (narrow.matches) opened = new Set(at ? [at.closest(".board-panel").id] : []);
      else cover();
    }
    for (const panel of panels) unfold(panel, opened.has(panel.id));
  }

  function choose(name) {
    if (asked && name === placesOf(asked).at(-1)) {
      play(asked);
      return;
    }
    asked = "";
    chosen.push(name);
    const moves = left();
    const complete = moves.filter(([, places]) => places.length === chosen.length);
    if (moves.length === 1) {
      play(moves[0][0]);  // there is nothing left to choose
    } else if (complete.length) {
      ask(complete, moves.length > complete.length);
    } else {
      mark();
      const next = inPanel(moves[0]?.[1][chosen.length]);
      if (narrow.matches && next && !targets().length) {
        opened = new Set([next.closest(".board-panel").id]);
        fold(false);
        mark();
      }
      reach();
      if (byKeyboard) targets()[0]?.focus();
    }
  }

  function clicked(event) {
    // On a narrow screen a summary unfolds its panel wherever it is touched.
    const title = event.target.closest?.(".unfold") || (narrow.matches && !event.target.closest?.(".target") && event.target.closest?.("#board .summary"));
    if (title) {
      const panel = title.closest(".board-panel"), open = !opened.has(panel.id);
      if (narrow.matches) opened.clear();
      else cover();
      if (open) opened.add(panel.id);
      fold(false);
      mark();
      return;
    }
    const group = event.target.closest && event.target.closest("#board .target, #board .chosen");
    if (group && group.classList.contains("target")) choose(group.dataset.place);
    else if (group || ((chosen.length || asked) && !event.target.closest?.(KEEPS))) putBack();
  }

  function keyed(event) {
    byKeyboard = true;
    if (event.key === "Escape") {
      if (chosen.length || asked) putBack();
      for (const it of document.querySelectorAll("details[open]")) it.open = false;
      if (!narrow.matches) { cover(); fold(false); }
    }
    if (event.key === "/" && !event.target.closest("input, select, textarea")) {
      const finder = document.getElementById("finder");
      if (finder) { event.preventDefault(); finder.open = true; document.getElementById("find").focus(); }
    }
    if ((event.key === "Enter" || event.key === " ") && event.target.closest && event.target.closest("#board .target")) {
      event.preventDefault();
      clicked(event);
    }
    if (event.target.id === "find" && event.key === "Enter") {
      event.preventDefault();
      const shown = [...document.querySelectorAll("#moves button[name=move]:not([hidden])")];
      const exact = shown.filter((move) => move.value === event.target.value.trim());
      if (exact.length === 1) exact[0].click();
      else if (shown.length === 1) shown[0].click();
      else say(`${shown.length} moves match.`);
    }
  }

  function read() {
    const source = document.getElementById("turn");
    if (!source) return;
    const text = `${document.getElementById("version").value} ${source.textContent}`;
    if (text === last) {  // the table has not changed, so the places clicked so far still count
      fold(false);
      mark();
      resume();
      return;
    }
    if (last) document.dispatchEvent(new CustomEvent("board:changed"));
    last = text;
    turn = JSON.parse(source.textContent);
    chosen = [];
    asked = "";
    fold(turn.moves.length > 0 || !opened.size);
    mark();
    if (narrow.matches && turn.moves.length) scrollTo(0, document.querySelector(".bar").parentElement.offsetTop);
    if (turn.moves.length) reach();
    const sentence = document.getElementById("sentence");
    if (sentence) say(sentence.textContent);
    document.title = (turn.moves.length ? "▶ " : "") + document.title.replace(/^▶ /, "");
    resume();
  }

  // The next person at this screen finds the button, wherever the page is scrolled to.
  function showCurtain() {
    const reveal = document.getElementById("reveal");
    if (reveal && document.activeElement !== reveal) {
      reveal.focus();
      reveal.scrollIntoView({ block: "center" });
    }
  }

  // A person who plays by keyboard goes on at the first place once the focused element is gone.
  function resume() {
    showCurtain();
    if (!turn.moves.length || !byKeyboard || document.activeElement !== document.body) return;
    const first = document.getElementById(document.body.dataset.focus) || targets()[0] || document.querySelector("#moves .direct button");
    if (first) first.focus({ preventScroll: true });
  }

  window.board = { groups, frame, submit, moves: () => turn.moves }; // for other scripts of the page
  // A page from the browser's cache may be old, and may be somebody else's.
  window.addEventListener("pagehide", () => { document.getElementById("main").hidden = true; });
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  document.addEventListener("click", (event) => {
    const move = event.target.closest?.("#moves button[name=move]");
    if (!move || playing) return;
    if (!isToConfirm(move.value)) {
      putBack();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    select(move.value);
  }, true);
  document.addEventListener("click", clicked);
  document.addEventListener("change", (event) => {
    if (event.target.id !== "confirm") return;
    localStorage.setItem("confirm", event.target.checked ? "yes" : "no");
    putBack();
  });
  // The Back button must not lead to somebody else's seat.
  document.addEventListener("click", (event) => {
    if (event.target.id !== "reveal") return;
    event.preventDefault();
    location.replace(event.target.href);
  });
  document.addEventListener("pointerdown", (event) => {
    byKeyboard = false;
    for (const it of document.querySelectorAll("details[open]")) if (!it.contains(event.target)) it.open = false;
    if (!narrow.matches && !event.target.closest(".column.seats")) { cover(); fold(false); }
  });
  document.addEventListener("toggle", (event) => {
    if (event.target.open) event.target.querySelector("input:not([type=hidden])")?.focus();
  }, true);
  narrow.addEventListener("change", () => { fold(true); mark(); });
  addEventListener("resize", mark);
  document.addEventListener("keydown", keyed);
  document.addEventListener("input", (event) => { if (event.target.id === "find") list(); });
  document.addEventListener("DOMContentLoaded", () => {
    const confirm = document.getElementById("confirm");
    if (confirm) confirm.checked = confirms();
    read();
  });
  document.addEventListener("htmx:afterSettle", read);
})();
