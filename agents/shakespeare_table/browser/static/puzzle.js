// Asks for the better move of a mistake. The board shows what the decider saw. The viewer chooses the
// move there, place after place as when playing, or chooses it from a list. Then the moves are compared.
"use strict";

(() => {
  const review = document.getElementById("review");
  const root = review && review.querySelector("[data-film]");
  if (!root) return;
  const { address, agent, seat } = review.dataset;
  const box = root.querySelector(".puzzle"), compared = box.querySelector(".compared");
  const list = box.querySelector(".move-list"), whose = document.getElementById("whose");
  const findings = root.querySelector(".findings"), hasRoom = matchMedia("(min-width: 62rem)");
  let current = null;  // the number of the move that is looked at
  let choices = [];  // the legal moves
  let moves = [], chosen = [];  // those that can still be chosen, and the places clicked so far
  let answer = null;  // the moves to mark by kind: the one that was played, and the best or the tried one
  const QUESTION = "#question";  // the end of the address while a move is asked for
  const atQuestion = location.hash === QUESTION;
  const PATIENCE = 20_000;  // milliseconds for which a position is shown before the page stays there
  let opens = atQuestion || "begins" in review.dataset;  // whether the page still has to open at a mistake
  let isReady = false;  // whether the seat's decisions are judged
  let loadedAt = null;  // the time since when the film is shown
  const loaded = new Promise((resolve) => root.addEventListener("film:shown", resolve, { once: true }));
  let shown = Number(root.dataset.at);  // the number of the position on the board
  let guesses = 0;  // the number of requests to compare moves
  let wanted = false;  // whether the position that comes next is the puzzle's

  const solved = new Set();
  const items = () => [...root.querySelectorAll(".film-mistake")];
  const numberOf = (item) => Number(item.querySelector("[data-ply]").dataset.ply);
  const isSpoilt = () => review.classList.contains("spoilt");
  // Mistakes that are much alike share one item.
  const shownItems = () => items().filter((item) => !item.matches(".other, .film-alike *"));
  const groups = (name) => [...root.querySelectorAll(`.film-board [data-place="${CSS.escape(name)}"]`)];
  const left = () => moves.filter(([, places]) => places.length && chosen.every((name, at) => places[at] === name));

  // Hides the mistakes of other seats than the chosen one, and the answers that are not found yet.
  function sift() {
    for (const item of items()) {
      item.classList.toggle("other", whose.value !== "" && item.dataset.seat !== whose.value);
      item.classList.toggle("solved", solved.has(numberOf(item)));
    }
    root.querySelector(".film-verdict")?.classList.toggle("solved", solved.has(root.film.place()));
  }

  function unmark() {
    for (const mark of root.querySelectorAll(".puzzle-mark")) mark.remove();
    for (const group of root.querySelectorAll(".puzzle-target, .puzzle-chosen")) {
      group.classList.remove("puzzle-target", "puzzle-chosen");
      for (const name of ["tabindex", "role", "aria-label"]) group.removeAttribute(name);
    }
  }

  function drawn(name, attributes, text = "") {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  }

  const RADIUS = 10;  // of a sign

  // How much of a sign at a point covers texts of the board and other signs, or leaves the board.
  function covered(group, [x, y]) {
    const matrix = group.getScreenCTM(), board = root.querySelector(".film-board").getBoundingClientRect();
    const from = new DOMPoint(x - RADIUS, y - RADIUS).matrixTransform(matrix);
    const to = new DOMPoint(x + RADIUS, y + RADIUS).matrixTransform(matrix);
    const shared = ({ left, right, top, bottom }) =>
      Math.max(0, Math.min(to.x, right) - Math.max(from.x, left)) * Math.max(0, Math.min(to.y, bottom) - Math.max(from.y, top));
    const things = [...root.querySelectorAll(".film-board svg text, .puzzle-mark circle")];
    const overlaps = things.map((thing) => shared(thing.getBoundingClientRect()));
    const outside = (to.x - from.x) * (to.y - from.y) - shared({ left: board.left, right: board.right, top: -Infinity, bottom: Infinity });
    return overlaps.reduce((sum, overlap) => sum + overlap, outside);
  }

  // The point on the edge of a place where a sign covers least: a corner, or else beside it.
  function freePoint(group, { x, y, width, height }) {
    const [left, centre, right] = [x + 5, x + width / 2, x + width - 5];
    const [top, middle, bottom] = [y + 3, y + height / 2, y + height - 3];
    const points = [
      [right, top], [right, bottom], [centre, bottom], [left, bottom], [centre, top], [left, top], [right, middle],
      [x + width + 8, top], [x + width + 8, middle], [x + width + 8, bottom], [centre, y + height + 8], [centre, y - 8],
    ];
    const costs = points.map((point) => covered(group, point));
    return points[costs.indexOf(Math.min(...costs))];
  }

  // Frames a place. A sign tells frames apart without their colours.
  function frame(group, kind, sign = "") {
    const box = group.getBBox();
    const mark = drawn("g", { class: `puzzle-mark ${kind}` });
    mark.append(drawn("rect", { x: box.x - 2, y: box.y - 2, width: box.width + 4, height: box.height + 4, rx: 5 }));
    if (sign) {
      const [x, y] = freePoint(group, box);
      mark.append(drawn("circle", { cx: x, cy: y, r: RADIUS }), drawn("text", { x, y: y + 5.5 }, sign));
    }
    group.append(mark);
  }

  function markAnswer() {
    const key = compared.querySelector(".puzzle-key");
    for (const [kind, sign] of [["played", "?"], ["tried", "×"], ["better", "✓"]]) {
      const [, places] = choices.find(([move]) => move === answer[kind]) ?? [null, []];
      for (const group of places.flatMap(groups)) frame(group, kind, sign);
      // A move without a place has a button instead.
      for (const entry of key?.querySelectorAll(`.${kind}`) ?? []) entry.hidden = !places.length;
    }
    if (key) key.hidden = !root.querySelector(".puzzle-mark");
  }

  function mark() {
    unmark();
    if (current === null || root.film.isLine()) return;
    if (answer) {
      root.classList.add("marking");  // what has no mark yet is not hidden, so that it can be measured
      markAnswer();
      root.classList.remove("marking");
    }
    const next = new Map();
    for (const [, places, words] of left()) {
      const name = places[chosen.length];
      if (name !== undefined) next.set(name, [...(next.get(name) || []), words]);
    }
    for (const [name, words] of next) for (const group of groups(name)) {
      group.classList.add("puzzle-target");
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "button");
      group.setAttribute("aria-label", words.slice(0, 3).join("; or "));
      frame(group, "legal");
    }
    for (const group of chosen.flatMap(groups)) {
      group.classList.add("puzzle-chosen");
      frame(group, "chosen");
    }
  }

  // Shows the buttons for a state: the move is "asked" for, another one has been "tried", or it is "told".
  function enter(state) {
    box.dataset.state = state;
    for (const [name, states] of [["try-again", ["tried"]], ["show-me", ["asked", "tried"]], ["show-line", ["told"]]]) {
      box.querySelector(`[data-${name}]`).hidden = !states.includes(state);
    }
  }

  async function pose(number) {
    const item = items().find((it) => numberOf(it) === number);
    if (!item) return;
    root.dataset.seat = item.dataset.seat;
    const begun = ++guesses;
    current = number;
    choices = [];
    moves = [];
    chosen = [];
    answer = null;
    box.hidden = false;
    box.querySelector("h2").textContent = item.querySelector("[data-ply]").textContent;
    const question = isSpoilt() ? "" : " Which move is better? Choose it on the board or from the list.";
    box.querySelector(".task").textContent = `Played${item.querySelector(".film-played").textContent}.${question}`;
    compared.replaceChildren();
    enter("asked");
    const response = await fetch(`${address}/${number - 1}/choices`).catch(() => null);
    if (current !== number) return;
    if (!response?.ok) {
      compared.textContent = "The server is not answering.";
      return;
    }
    const found = await response.json();
    await loaded;  // a film that cannot be shown yet would leave this page
    if (current !== number) return;
    choices = found.moves;
    wanted = true;
    root.film.see(number - 1, found.seen);
    wanted = false;
    history.replaceState(null, "", QUESTION);  // a reload asks again
    box.querySelector(".move-list").replaceChildren(...choices.map(([move, , words]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = words;
      button.dataset.guess = move;
      return button;
    }));
    if (guesses !== begun) mark();  // the viewer has not waited for the moves
    else if (isSpoilt()) {
      answer = item.dataset;
      guess("");
    } else ask();
    box.scrollIntoView({ block: "nearest" });
  }

  // Asks for a move, once more after a wrong one.
  function ask() {
    moves = choices;
    chosen = [];
    answer = null;
    compared.replaceChildren();
    enter("asked");
    mark();
  }

  async function guess(move) {
    const number = current, own = ++guesses;
    chosen = [];
    moves = [];
    mark();
    compared.textContent = "Playing on after the moves …";
    box.querySelector(".guesses").open = false;
    const asked = new URLSearchParams({ agent, seat, move });
    const response = await fetch(`${address}/${number - 1}/compare?${asked}`, { headers: { "HX-Request": "true" } }).catch(() => null);
    const text = response ? await response.text() : "The server is not answering.";
    if (current !== number || own !== guesses) return;
    if (!response?.ok) {
      compared.textContent = text;
      enter("tried");
      return;
    }
    compared.innerHTML = text;
    answer = compared.querySelector("[data-played]").dataset;
    const isTold = "better" in answer;
    enter(isTold ? "told" : "tried");
    mark();
    if (isTold) {
      box.querySelector(".task").textContent = "";
      solved.add(number);
    }
    sift();
    box.scrollIntoView({ block: "nearest" });
    root.querySelector(".puzzle-mark")?.scrollIntoView({ block: "nearest" });
  }

  function next() {
    const numbers = shownItems().map(numberOf);
    const at = numbers.indexOf(current);
    const other = numbers.slice(at + 1).find((it) => !solved.has(it)) ?? numbers.find((it) => !solved.has(it) && it !== current);
    if (other === undefined) compared.textContent = "These were all mistakes of the list.";
    else pose(other);
  }

  function choose(name) {
    chosen.push(name);
    const found = left();
    const complete = found.filter(([, places]) => places.length === chosen.length);
    if (found.length === 1) guess(found[0][0]);
    else if (complete.length) askWhich(complete, found.length > complete.length);
    else mark();
  }

  // Asks which move is meant if several have the places that were clicked.
  function askWhich(complete, onward) {
    const answers = complete.map(([move, , words]) => [words, () => guess(move)]);
    if (onward) answers.push(["Go on to the next place", mark]);
    page.ask("Which move?", answers, putBack);
  }

  function putBack() {
    chosen = [];
    mark();
  }

  root.addEventListener("click", (event) => {
    const target = event.target.closest(".puzzle-target"), button = event.target.closest("button");
    if (target) { choose(target.dataset.place); return; }
    if (chosen.length && event.target.closest(".film-board")) putBack();
    const link = event.target.closest(":is(.film-lessons, .film-mistakes) [data-ply]");
    if (link) {
      event.preventDefault();
      event.stopImmediatePropagation();
      pose(Number(link.dataset.ply));
    }
    if (!button) return;
    if (button.dataset.guess) guess(button.dataset.guess);
    if ("tryAgain" in button.dataset) ask();
    if ("showMe" in button.dataset) guess("");
    if ("nextMistake" in button.dataset) next();
    if ("showLine" in button.dataset) review.dispatchEvent(new CustomEvent("review:line", { detail: current - 1 }));
  }, true);
  root.addEventListener("keydown", (event) => {
    const target = event.target.closest?.(".puzzle-target");
    if (target && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); choose(target.dataset.place); }
  });
  root.addEventListener("film:shown", () => {
    // The first position shown is where the film begins, not where the viewer has gone.
    if (loadedAt !== null && !wanted && current !== null && root.film.place() !== current - 1) {
      current = null;
      box.hidden = true;
      root.film.reveal();
    }
    const place = root.film.place();
    // Who steps through the game on a small screen wants the board, not the list above it.
    if (place !== shown) findings.open = hasRoom.matches || current !== null;
    shown = place;
    if (!wanted) mark();
    sift();
    loadedAt ??= performance.now();
    open();
  });
  whose.addEventListener("change", () => { sift(); });
  document.getElementById("spoil").addEventListener("change", (event) => {
    review.classList.toggle("spoilt", event.target.checked);
    if (isSpoilt() && current !== null && box.dataset.state !== "told") guess("");
  });

  // Opens at the mistake that the address names, or at the worst one, unless the viewer has gone elsewhere.
  function open() {
    if (!opens || !isReady || loadedAt === null) return;
    opens = false;
    const at = Number(root.dataset.at), [worst] = shownItems();
    if (current !== null || root.film.at() !== at) return;
    if (atQuestion) pose(at + 1);
    else if (worst && performance.now() - loadedAt < PATIENCE) pose(numberOf(worst));
  }

  document.body.addEventListener("htmx:sseMessage", (event) => {
    sift();
    isReady ||= event.detail.type === "ready";
    open();
  });
})();
