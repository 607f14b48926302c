// Which puzzles were solved in this browser.
"use strict";

(() => {
  const key = (game) => `puzzles.${game}`;
  const solved = (game) => { try { return JSON.parse(localStorage.getItem(key(game))) || []; } catch { return []; } };

  function mark() {
    for (const list of document.querySelectorAll("[data-puzzles]")) {
      const done = new Set(solved(list.dataset.puzzles));
      for (const link of list.querySelectorAll("[data-puzzle]")) {
        if (!done.has(Number(link.dataset.puzzle)) || link.classList.contains("solved")) continue;
        link.classList.add("solved");
        link.append(" ✓");
      }
    }
  }

  // Once it is solved nothing is asked any more: no move is marked, nor played by a click.
  function settle() {
    const right = document.querySelector("#verdict .right"), turn = document.getElementById("turn");
    if (!right || !turn) return;
    const solved = right.matches("[data-solved]");
    document.getElementById("sentence").textContent = solved ? "Solved." : "This is the solution.";
    turn.textContent = JSON.stringify({ moves: [], changed: [] });
  }

  function heard() {
    const verdict = document.getElementById("verdict");
    if (!verdict) return;
    if (verdict.childElementCount) verdict.scrollIntoView({ block: "nearest" });
    if (!verdict.querySelector("[data-solved]")) return;
    const { game, number } = verdict.dataset;
    const done = new Set([...solved(game), Number(number)]);
    try { localStorage.setItem(key(game), JSON.stringify([...done])); } catch { /* it is not kept */ }
    const next = document.getElementById("next");
    if (next) next.focus();
  }

  document.addEventListener("DOMContentLoaded", mark);
  document.addEventListener("htmx:afterSwap", settle); // before the board is read
  document.addEventListener("htmx:afterSettle", heard);
})();
