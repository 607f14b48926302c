// Shows the game of the demo at the pace of its clock, then the next one.
"use strict";

(() => {
  const demo = document.getElementById("demo");
  if (!demo) return;
  const root = demo.querySelector("[data-film]");
  const [pace, elapsed, result] = ["pace", "elapsed", "result"].map((name) => Number(demo.dataset[name]));
  const began = performance.now() / 1000 - elapsed;
  const last = Number(root.dataset.last);
  const AGAIN = 3; // seconds, if the next game or the server is not ready
  const LEAST = 0.45; // of the size at which drawings are read best
  const narrow = matchMedia("(max-width: 62rem)");
  let shown = -1, leaving = false;
  root.classList.add("film-demo");

  async function next() {
    leaving = true;
    const answer = await fetch(`/demo/after/${demo.dataset.table}`).catch(() => null);
    if (answer && answer.status === 200) location.replace("/demo");
    else setTimeout(next, 1000 * AGAIN);
  }

  // All of the board is in sight, as far as it can be read then.
  function fit() {
    const board = root.querySelector(".film-board");
    const room = innerHeight - root.getBoundingClientRect().top - scrollY - 8;
    let zoom = narrow.matches ? 1 : 1.2;
    do board.style.zoom = zoom; while (!narrow.matches && board.getBoundingClientRect().height > room && (zoom -= 0.04) > LEAST);
  }

  function follow() {
    const seconds = performance.now() / 1000 - began;
    const at = Math.min(last, Math.floor(seconds / pace));
    if (at !== shown) {
      root.film.show(at);
      fit();
    }
    shown = at;
    if (!leaving && seconds > last * pace + result) next();
  }

  addEventListener("resize", fit);
  root.addEventListener("film:shown", () => {
    if (shown < 0) setInterval(follow, 200);
    shown = Math.max(shown, 0);
    fit();
  }, { once: true });
})();
