// What somebody thinks of a film: the bar of chances beside the board, and the mistakes.
"use strict";

(() => {
  const root = document.querySelector("[data-film]");
  if (!root) return;
  const LEGIBLE = 9; // percent of the bar from which there is room for a number
  const own = Number(root.dataset.seat ?? -1); // the reader's seat, whose number is always shown
  const seats = JSON.parse(root.dataset.seats);
  const bar = root.querySelector(".film-eval"), told = root.querySelector(".film-told");
  bar.replaceChildren(...seats.map(([, fill, ink], seat) => {
    const segment = document.createElement("span");
    segment.classList.toggle("own", seat === own);
    segment.style.background = fill;
    segment.style.color = ink;
    return segment;
  }));

  // A part for each seat: its chance to win, or alone the score it may expect.
  function showBar() {
    const figure = root.querySelector(".film-chances [data-graph]");
    const lines = figure ? JSON.parse(figure.dataset.graph) : [];
    const { isLine, values, place } = root.film;
    const now = isLine() ? values() : lines.map((line) => line[place()]);
    bar.hidden = !figure || !now || now.some((value) => typeof value !== "number");
    if (bar.hidden) return;
    const unit = figure.dataset.unit;
    const full = unit ? 100 : Math.max(1, ...lines.flat());
    let rest = 100;
    now.forEach((value, seat) => {
      const segment = bar.children[seat], share = 100 * Math.max(0, value) / full;
      segment.style.flexGrow = share;
      segment.textContent = share >= LEGIBLE || seat === own ? Math.round(value) : "";
      rest -= share;
    });
    bar.style.setProperty("--rest", Math.max(0, rest));
    const words = seats.map(([name], seat) => `${name} ${Math.round(now[seat])} ${unit}`).join(", ");
    bar.title = words;
    bar.setAttribute("aria-label", `${unit ? "Chance to win" : "Expected score"}: ${words}`);
  }

  // Under the move that is shown, if it was a mistake: what it cost and what was better.
  function showVerdict() {
    told.querySelector(".film-verdict")?.remove();
    const ply = root.film.place();
    const found = !root.film.isLine() && root.querySelector(`.film-mistakes [data-ply="${ply}"]`);
    if (!found || !told.firstElementChild) return;
    const mistake = found.closest(".film-mistake"), copy = document.createElement("p");
    copy.className = "film-verdict";
    copy.dataset.kind = mistake.dataset.kind;
    copy.append(...mistake.cloneNode(true).childNodes);
    copy.querySelector(".film-alike")?.remove();
    told.firstElementChild.after(copy);
  }

  function signLog() {
    root.querySelectorAll(".film-log .film-sign").forEach((one) => one.remove());
    for (const mistake of root.querySelectorAll(".film-mistake")) {
      const { ply } = mistake.querySelector("[data-ply]").dataset;
      root.querySelector(`.film-log [data-ply="${ply}"]`)
        ?.after(" ", mistake.querySelector(".film-sign").cloneNode(true));
    }
  }

  function showAll() {
    showBar();
    showVerdict();
    signLog();
  }

  root.addEventListener("film:shown", () => { showBar(); showVerdict(); });
  // Judgement may come in later.
  for (const name of ["htmx:afterSwap", "htmx:sseMessage"]) {
    document.body.addEventListener(name, showAll);
  }
  showAll();
})();
