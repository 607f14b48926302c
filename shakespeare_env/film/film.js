// Plays a recorded game: swaps the pictures that differ and frames the places a move changed.
// What it plays is in the page, as JSON in #film-data, or at the address in data-source. Other
// scripts call root.film: `enter` shows a line that leaves the game, `leave` the game again.
// `see` shows a position as somebody saw it, until `reveal`. "film:shown" follows each change.
"use strict";

(() => {
  const root = document.querySelector("[data-film]");
  if (!root) return;
  const SECONDS = 1.2; // between moves while playing
  const part = (name) => root.querySelector(`.film-${name}`);
  const board = part("board"), slider = part("slider"), told = part("told");
  const link = root.dataset.link;
  let film = null, at = Number(root.dataset.at), last = Number(root.dataset.last), timer = null;
  let game = null; // while a line is shown: the game that it leaves, and where
  let seen = null; // a position as somebody saw it, with its number: a film of that position alone

  async function unpacked(data) {
    if (!("packed" in data)) return data;
    const bytes = Uint8Array.from(atob(data.packed), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  async function load() {
    const inPage = document.getElementById("film-data");
    if (inPage) return unpacked(JSON.parse(inPage.textContent));
    const answer = await fetch(root.dataset.source);
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    return unpacked(await answer.json());
  }

  // The film that the board is drawn from, and the number of the position in it.
  const drawnFrom = () => (seen && !game && seen.at === at ? [seen.film, 0] : [film, at]);

  function picture(number) {
    const holder = document.createElement("template");
    holder.innerHTML = drawnFrom()[0].pieces[number];
    return holder.content.firstElementChild;
  }

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  }

  // Wide pictures stand in columns, cards in rows.
  const isWide = (drawn) => "wide" in drawn.dataset;

  // A panel of the board; its pictures are swapped one by one where their number is the same.
  function showPanel(panel, shown) {
    const folded = isFolded(panel), ofTable = panel.seat === null;
    const title = panel.title;
    panel = { ...panel, folded, pieces: shownPieces(panel) };
    if (!shown || shown.folded !== folded || shown.pieces.length !== panel.pieces.length || shown.title !== panel.title) {
      const section = element("section", "film-panel");
      section.dataset.panel = panel.name;
      if (!ofTable) section.classList.add("film-seat");
      if (panel.aside) section.classList.add("film-aside");
      if (folded) section.classList.add("film-folded");
      const heading = element("h2", "", title);
      section.append(heading);
      if (folded || (ofTable && unfolded.has(panel.name))) {
        const verb = folded ? "Open" : "Close";
        const button = element("button", "film-unfold", panel.aside ? `${verb}: ${title}` : verb);
        button.type = "button";
        button.dataset.open = ofTable ? panel.name : panel.seat;
        button.setAttribute("aria-label", ofTable ? `${verb}: ${title}` : `Open the board of ${title}`);
        heading.append(" ", button);
      }
      const pictures = panel.pieces.map(picture);
      for (const [kind, wide] of [["film-large", true], ["film-small", false]]) {
        const own = pictures.filter((drawn) => isWide(drawn) === wide);
        if (!own.length) continue;
        const row = element("div", kind);
        row.append(...own);
        section.append(row);
      }
      return { ...panel, section, pictures };
    }
    const pictures = panel.pieces.map((piece, place) => {
      const drawn = shown.pictures[place];
      // A framed picture is drawn again without its frames.
      if (piece === shown.pieces[place] && !drawn.querySelector(".film-changed")) return drawn;
      const swapped = picture(piece);
      drawn.replaceWith(swapped);
      return swapped;
    });
    return { ...panel, section: shown.section, pictures };
  }

  // The table's panels that the reader has opened where there is little room.
  const little = matchMedia("(max-width: 86rem)"), unfolded = new Set();

  // Whether only the summary of a panel is shown, or only the title of what lies aside.
  function isFolded(panel) {
    if (panel.seat !== null) return panel.summary !== null && panel.seat !== openSeat();
    return little.matches && (panel.aside || panel.summary !== null) && !unfolded.has(panel.name);
  }

  function shownPieces(panel) {
    if (!isFolded(panel)) return panel.pieces;
    return panel.summary === null ? [] : [panel.summary];
  }

  // The seat that is shown in full: the reader's, or else the one that moved last.
  function openSeat() {
    const chosen = root.dataset.seat;
    return chosen === undefined ? film.movers[Math.max(at - 1, 0)] : Number(chosen);
  }

  let panels = [], drawnLast = null;
  function showBoard() {
    const [drawn, place] = drawnFrom();
    if (drawn !== drawnLast) panels = []; // numbers of pictures count in one film only
    drawnLast = drawn;
    const wanted = drawn.frames[place].map((number) => drawn.panels[number]);
    const byName = new Map(panels.map((panel) => [panel.name, panel]));
    panels = wanted.map((panel) => showPanel(panel, byName.get(panel.name)));
    for (const [name, ofSeats] of [["table", false], ["seats", true]]) {
      const column = part(name);
      const sections = panels.filter((panel) => (panel.seat !== null) === ofSeats).map((panel) => panel.section);
      const same = sections.length === column.children.length
        && sections.every((section, place) => section === column.children[place]);
      if (!same) column.replaceChildren(...sections);
    }
    if (at > 0 && drawn === film) frameChanges();
  }

  // Places by name, each with its own drawing: what stands in places within it is theirs.
  function drawings(parent) {
    const found = new Map();
    for (const place of parent.querySelectorAll("[data-place]")) {
      const twin = place.cloneNode(true);
      twin.querySelectorAll("[data-place]").forEach((inner) => inner.replaceChildren());
      found.set(place.dataset.place, { place, own: twin.innerHTML });
    }
    return found;
  }

  function frameChanges() {
    const piecesOf = (number) => new Set(
      film.frames[number].flatMap((panel) => shownPieces(film.panels[panel])));
    const before = piecesOf(at - 1), now = piecesOf(at);
    const old = document.createElement("div");
    old.append(...[...before].filter((piece) => !now.has(piece)).map(picture));
    const then = drawings(old);
    const changed = [...now].filter((piece) => !before.has(piece));
    const numbers = panels.flatMap((panel) => panel.pieces);
    const pictures = panels.flatMap((panel) => panel.pictures);
    for (const piece of changed) {
      for (const [name, { place, own }] of drawings(pictures[numbers.indexOf(piece)])) {
        if (then.has(name) && then.get(name).own === own) continue;
        const { x, y, width, height } = place.getBBox();
        const frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        for (const [key, value] of Object.entries({
          x: x - 1, y: y - 1, width: width + 2, height: height + 2, rx: 6, class: "film-changed",
        })) frame.setAttribute(key, value);
        place.append(frame);
      }
    }
  }

  function tell() {
    told.replaceChildren();
    if (at === 0) {
      told.append(element("p", "", film.title || "The game begins."));
      return;
    }
    const { who, text, move, effects } = film.told[at - 1];
    const line = element("p", "", game ? `${who} ` : `${at}. ${who} `);
    // The moves before it in the same turn belong to it.
    let first = at;
    while (first > 1 && film.movers[first - 2] === film.movers[at - 1]) first--;
    const earlier = film.told.slice(first - 1, at - 1).map((one) => `${one.text}; `).join("");
    if (earlier) line.append(element("span", "film-earlier", earlier));
    line.append(element("strong", "", text), " ");
    if (move) line.title = move; // in notation
    told.append(line);
    if (effects.length) {
      const list = element("ul");
      list.append(...effects.map((effect) => element("li", "", effect)));
      told.append(list);
    }
  }

  function showCursors() {
    for (const figure of root.querySelectorAll("[data-graph]")) {
      const values = JSON.parse(figure.dataset.graph), unit = figure.dataset.unit;
      const number = game ? game.at : at;
      figure.querySelectorAll("[data-line]").forEach((cell) => {
        const value = values[cell.dataset.line][number];
        cell.textContent = value === null || value === undefined ? "–" : `${value}${unit}`;
      });
      const step = figure.querySelector("[data-step]").dataset.step;
      const moved = `translate(${number * step} 0)`;
      figure.querySelectorAll("[data-cursor]").forEach((it) => it.setAttribute("transform", moved));
    }
  }

  function show(number) {
    at = Math.max(0, Math.min(last, number));
    if (!film) {
      // The server still draws; it has every position as a page of its own.
      location.assign(`${link}${at}`);
      return;
    }
    slider.max = last;
    slider.value = at;
    slider.setAttribute("aria-valuetext", `position ${at} of ${last}`);
    part("place").textContent = `${at} / ${last}`;
    part("place").title = `${at} of ${last} moves are played`;
    const [drawn, place] = drawnFrom();
    part("progress").textContent = drawn.progress[place];
    part("standings").innerHTML = drawn.standings[place];
    showBoard();
    tell();
    showCursors();
    if (!game) showPlace();
    root.dispatchEvent(new CustomEvent("film:shown", { bubbles: true }));
  }

  // Where the game stands: in links, in the list of moves and in the address.
  function showPlace() {
    root.querySelectorAll("a[data-here]").forEach((one) => {
      one.href = `${link}${at}${one.dataset.here}`;
    });
    root.querySelectorAll("a[aria-current]").forEach((one) => one.removeAttribute("aria-current"));
    root.querySelector(`.film-log [data-ply="${at}"]`)?.setAttribute("aria-current", "true");
    if (location.protocol === "about:") return; // in a notebook the page has no address of its own
    const address = new URL(`${link}${at}`, location.href);
    address.search = location.search;
    history.replaceState(null, "", address);
  }

  // A film of the moves that leave the game at `from`, with the bar's values by position.
  function enter(line, from) {
    stop();
    if (game) leave();
    show(from);
    game = { film, at, last };
    film = line;
    last = line.frames.length - 1;
    root.classList.add("film-in-line");
    show(0);
  }

  function leave() {
    if (!game) return;
    const { film: own, at: from, last: end } = game;
    [film, last, game] = [own, end, null];
    root.classList.remove("film-in-line");
    show(from);
  }

  // Shows a seat's board in full, and summaries of the others; or opens or closes a table's panel.
  function open(seat) {
    if (/^\d+$/.test(seat)) root.dataset.seat = seat;
    else if (!unfolded.delete(seat)) unfolded.add(seat);
    if (film) showAgain();
  }

  function showAgain() {
    panels = [];
    show(at);
  }

  // Shows a position as somebody saw it, by a film of that position alone.
  function see(number, asSeen) {
    leave();
    seen = { film: asSeen, at: number };
    show(number);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    const button = root.querySelector('[data-go="play"]');
    button.textContent = "▶ Play";
    button.setAttribute("aria-label", "Play");
    told.setAttribute("aria-live", "polite");
  }

  function play() {
    if (timer) return stop();
    if (!film) return;
    const button = root.querySelector('[data-go="play"]');
    button.textContent = "❚❚ Pause";
    button.setAttribute("aria-label", "Pause");
    told.setAttribute("aria-live", "off"); // it would be read over and over
    if (at === last) show(0);
    timer = setInterval(() => (at < last ? show(at + 1) : stop()), 1000 * SECONDS);
  }

  function go(where) {
    if (where === "play") return play();
    stop();
    if (where === "back" && at === 0 && game) return leave();
    show({ first: 0, back: at - 1, next: at + 1, last }[where]);
  }

  function wanted() {
    const found = /^#(\d{1,6})$/.exec(location.hash);
    return found ? Number(found[1]) : Number(root.dataset.at);
  }

  function onClick(event) {
    const button = event.target.closest("[data-go]");
    if (button) return go(button.dataset.go);
    const unfold = event.target.closest("[data-open]");
    if (unfold) return open(unfold.dataset.open);
    const link = event.target.closest("[data-ply]");
    if (link) {
      event.preventDefault();
      stop();
      leave();
      show(Number(link.dataset.ply));
      part("bar").scrollIntoView({ block: "nearest" });
      return;
    }
    const drawn = event.target.closest("svg[data-step]");
    if (drawn) {
      const place = drawn.getBoundingClientRect();
      const x = (event.clientX - place.left) * drawn.viewBox.baseVal.width / place.width;
      stop();
      leave();
      show(Math.round((x - drawn.dataset.left) / drawn.dataset.step));
    }
  }

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") leave();
    const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" };
    const where = keys[event.key];
    if (!where || event.target.closest?.("select, textarea, input:not(.film-slider)")) return;
    // A space presses what has the focus.
    if (where === "play" && event.target.closest?.("input, summary, a, button")) return;
    if (event.target === slider && where !== "play") return; // it moves by itself
    event.preventDefault();
    go(where);
  }

  little.addEventListener("change", () => { if (film) showAgain(); });
  // On a wide screen all that is said has room beside the board.
  const hasRoom = matchMedia("(min-width: 62rem)").matches;
  for (const fold of root.querySelectorAll("details[data-wide]")) fold.open = hasRoom;
  const measureBar = () => root.style.setProperty("--bar-height", `${part("bar").offsetHeight}px`);
  new ResizeObserver(measureBar).observe(part("bar"));
  root.addEventListener("click", onClick);
  document.addEventListener("keydown", onKey);
  slider.addEventListener("change", () => { if (!film) show(Number(slider.value)); });
  slider.addEventListener("input", () => {
    if (!film) return;
    stop();
    show(Number(slider.value));
  });
  // `place` is where the game stands, `values` what the bar shows in a line.
  root.film = { enter, leave, see, show, open, reveal: () => { seen = null; }, at: () => at, place: () => (game ? game.at : at),
                isLine: () => game !== null, values: () => film.values?.[at] };
  showCursors();
  part("place").textContent = `${at} / ${last}`;
  // Graphs may come in later.
  for (const name of ["htmx:afterSwap", "htmx:sseMessage"]) {
    document.body.addEventListener(name, showCursors);
  }
  load().then((data) => {
    film = data;
    window.addEventListener("hashchange", () => { leave(); show(wanted()); });
    show(wanted());
  }).catch((fault) => {
    const line = part("fault");
    line.hidden = false;
    line.textContent = `The game cannot be shown (${fault.message}). Its moves in words are below.`;
    part("log").open = true;
  });
})();
