// Shows the others' moves one after the other at the chosen speed, and the places that they changed.
"use strict";

(() => {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const field = (id) => document.getElementById(id);
  let shownUpTo = -1;  // the number of moves that this page has shown
  let waiting = 0;
  let shown = null;  // the entry of the strip whose places are marked

  // Browsers slow down the timers of a page that nobody sees, so it shows all moves at once.
  const chosenPace = () => Number(localStorage.getItem("pace") ?? (still.matches ? "0" : "700"));
  const pace = () => (document.hidden ? 0 : chosenPace());

  // Handles a change that has arrived, and requests the next one after a pause.
  function arrived() {
    const number = Number(field("number").value), { behind } = JSON.parse(field("turn").textContent);
    const entry = number > shownUpTo && document.querySelector(`.step[data-step="${number - 1}"]`);
    if (entry) {
      entry.classList.add("now");
      // Only the strip scrolls. The page stays where the next legal place is in view.
      const list = field("since"), item = entry.parentElement;
      list.scrollTo(item.offsetLeft - list.offsetLeft, item.offsetTop - list.offsetTop);
    }
    shownUpTo = number;
    field("log").scrollTop = field("log").scrollHeight;
    field("skip").hidden = !behind;
    clearTimeout(waiting);
    // If many moves wait, each is shown for a shorter time.
    waiting = behind ? setTimeout(next, Math.min(pace(), 6000 / (behind + 1))) : 0;
  }

  function next() {
    waiting = 0;
    htmx.trigger("#latest", "next");
  }

  function skip() {
    clearTimeout(waiting);
    field("stepwise").value = "";
    next();
  }

  // Marks the places that an entry of the strip has changed.
  async function show(entry) {
    for (const mark of document.querySelectorAll("#board .shown-mark")) mark.remove();
    shown = entry;
    if (!entry) return null;
    const asked = new URLSearchParams({ first: entry.dataset.first, last: entry.dataset.step, as: field("as").value });
    const answer = await fetch(`${field("strip").dataset.from}?${asked}`);
    if (!answer.ok || shown !== entry) return null;
    const places = (await answer.json()).flatMap(board.groups).filter((it) => it.checkVisibility());
    for (const group of places) board.frame(group, "shown-mark", 2);
    return places[0];
  }

  function settings() {
    field("pace").value = String(chosenPace());
    field("stepwise").value = pace() ? "1" : "";
  }

  document.addEventListener("htmx:beforeSwap", () => { field("stepwise").value = pace() ? "1" : ""; });
  // While a move is being shown, later ones wait.
  document.addEventListener("htmx:confirm", (event) => {
    if (event.target.id === "latest" && waiting) event.preventDefault();
  });
  document.addEventListener("htmx:afterSettle", () => {
    if (field("turn") && Number(field("number").value) !== shownUpTo) arrived();
  });
  for (const name of ["pointerover", "focusin", "click"]) {
    document.addEventListener(name, async (event) => {
      const entry = event.target.closest ? event.target.closest(".step") : null;
      if (entry === shown && name !== "click") return;
      const first = await show(entry);
      if (name === "click" && first) first.scrollIntoView({ block: "nearest" });
    });
  }
  document.addEventListener("click", (event) => { if (event.target.closest("#skip")) skip(); });
  document.addEventListener("change", (event) => {
    if (event.target.id !== "pace") return;
    localStorage.setItem("pace", event.target.value);
    settings();
  });
  document.addEventListener("visibilitychange", () => {
    settings();
    if (document.hidden && waiting) skip();
  });
  document.addEventListener("DOMContentLoaded", () => { settings(); arrived(); });
})();
