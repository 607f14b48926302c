// Plays the best line from a position on the board of a review.
"use strict";

(() => {
  const review = document.getElementById("review");
  const root = review && review.querySelector("[data-film]");
  if (!root) return;
  const { address, agent, seat } = review.dataset;
  const part = (name) => root.querySelector(`.film-line ${name}`);
  const said = part("[role=status]"), moves = part("ol"), back = part("[data-leave]");
  let wanted = location.hash === "#line";
  let asked = null;  // the number of the position from which the computer looks for a line
  let latest = null;  // the latest request

  // Says what happens to a request, at once and wherever the page is scrolled to.
  function say(words) {
    said.hidden = !words;
    said.textContent = words;
  }

  // Lists a line by turns: what a seat does before another one moves.
  function list({ told, movers }) {
    const starts = [...told.keys()].filter((at) => movers[at] !== movers[at - 1]);
    moves.replaceChildren(...starts.map((from, turn) => {
      const to = starts[turn + 1] ?? told.length;
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.dataset.first = from + 1;
      button.dataset.last = to;
      const who = document.createElement("b");
      who.textContent = told[from].who;
      button.append(who, ` ${told.slice(from, to).map(({ text }) => text).join("; ")}`);
      item.append(button);
      return item;
    }));
  }

  async function ask(ply) {
    const dropped = asked !== null && asked !== ply ? `The line from position ${asked} is dropped. ` : "";
    const own = {};
    asked = ply;
    latest = own;
    root.film.leave();
    const place = root.film.place();
    say(`${dropped}The computer is looking for the best line from position ${ply} …`);
    const answer = await fetch(`${address}/${ply}/line?${new URLSearchParams({ agent, seat })}`,
      { headers: { "HX-Request": "true" } }).catch(() => null);
    const text = answer ? await answer.text().catch(() => "") : "The server is not answering.";
    if (latest !== own) return;
    asked = null;
    if (!answer?.ok) say(text || "The server is not answering.");
    else if (root.film.place() !== place) say(`You have gone on, so the line from position ${ply} is not shown.`);
    else {
      const line = JSON.parse(text);
      say("");
      list(line);
      root.film.enter(line, ply);
      root.film.show(1);
      moves.scrollIntoView({ block: "nearest" });
    }
  }

  // Updates the list of a line's moves, and adds a button to a mistake that leads to the better line.
  function shown() {
    const inLine = root.film.isLine(), verdict = root.querySelector(".film-verdict");
    back.hidden = moves.hidden = !inLine;
    part(".line-title").hidden = !inLine;
    part(".line-title").textContent = `From position ${root.film.place()} on, as the computer would play every seat:`;
    for (const button of moves.querySelectorAll("button")) {
      const isCurrent = button.dataset.first <= root.film.at() && root.film.at() <= button.dataset.last;
      button.ariaCurrent = isCurrent ? "true" : null;
      if (isCurrent) moves.scrollTop = button.offsetTop - moves.offsetTop;  // where the list scrolls by itself
    }
    if (verdict && !verdict.querySelector("button")) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.lineFrom = root.film.place() - 1;
      button.textContent = "Show the better line";
      verdict.append(" ", button);
    }
    if (wanted) {
      wanted = false;
      ask(root.film.place());
    }
  }

  root.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const { lineFrom: from, last } = button.dataset;
    if (from) ask(from === "here" ? root.film.place() : Number(from));
    if (last) root.film.show(Number(last));
    if ("leave" in button.dataset) root.film.leave();
  });
  root.addEventListener("film:shown", () => {
    if (asked === null) say("");
    shown();
  });
  review.addEventListener("review:line", (event) => ask(event.detail));
  document.body.addEventListener("htmx:sseMessage", () => {
    if (!root.film.isLine()) shown();
  });
})();
