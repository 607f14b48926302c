// Marks the move that the guide or a hint suggests on the board. On a phone the guide can be folded.
"use strict";

(() => {
  const guide = () => document.getElementById("guide");
  const places = (move) => board.moves().find(([text]) => text === move)?.[1] ?? [];
  // A place may also be drawn in a summary, which a wide screen does not show.
  const drawn = (name) => board.groups(name).filter((it) => it.checkVisibility());
  const button = (move) => document.querySelector(`#moves button[value="${CSS.escape(move)}"]`);
  // A guide that is folded or unfolded stays so for the rest of the game. On a low screen it begins folded.
  const folded = () => `folded ${location.pathname}`;
  const low = matchMedia("(max-height: 30rem)");
  const isFolded = () => (sessionStorage.getItem(folded()) ?? (low.matches ? "yes" : "no")) === "yes";

  function small(isSmall) {
    const handle = document.getElementById("guide-handle");
    guide().classList.toggle("small", isSmall);
    handle.setAttribute("aria-expanded", String(!isSmall));
    handle.textContent = isSmall ? "Read again" : "Fold";
  }

  function settled() {
    for (const mark of document.querySelectorAll(".suggested-mark")) mark.remove();
    for (const other of document.querySelectorAll("button.suggested")) other.classList.remove("suggested");
    const suggestion = document.querySelector("#guide .suggestion, #hinted [data-move]");
    if (suggestion) {
      const { move } = suggestion.dataset;
      button(move)?.classList.add("suggested");
      for (const group of places(move).flatMap(drawn)) board.frame(group, "suggested-mark", 6);
    }
    if (guide()) small(isFolded());
  }

  function showMove(move) {
    const first = places(move).flatMap(drawn)[0] || button(move);
    if (!first) return;
    small(true);
    first.scrollIntoView({ block: "center", inline: "center" });
    first.focus({ preventScroll: true });
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("#guide-handle")) {
      sessionStorage.setItem(folded(), isFolded() ? "no" : "yes");
      small(isFolded());
    }
    const shows = event.target.closest("#guide-show");
    const plays = event.target.closest("#guide-play");
    if (shows) showMove(shows.value);
    if (plays) {
      event.preventDefault();  // without scripts the form plays the move
      board.submit(plays.value);
    }
    // After a move by the guide's button the focus returns there (`board.js`).
    if (event.isTrusted) document.body.dataset.focus = plays ? plays.id : "";
  });
  // Shows what another move than the suggested one costs. The page may change before that is known.
  const verdicts = new Map();  // sentences by the address that they come from
  async function judge() {
    const place = document.getElementById("guide-verdict");
    if (!place) return;
    const { from } = place.dataset;
    if (!verdicts.has(from)) {
      verdicts.set(from, "");
      const answer = await fetch(from).catch(() => null);
      if (answer?.ok) verdicts.set(from, await answer.text());
      else verdicts.delete(from);
    }
    const shown = document.getElementById("guide-verdict");
    if (shown?.dataset.from === from) shown.querySelector("span").textContent = verdicts.get(from) ?? "The server has not compared them.";
  }

  document.addEventListener("DOMContentLoaded", () => { settled(); judge(); });
  document.addEventListener("htmx:afterSettle", judge);
  document.addEventListener("htmx:afterSettle", settled);
})();
