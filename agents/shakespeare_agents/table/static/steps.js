// The others' moves: one after the other at the speed one chooses, pieces that move, a soft sound.
"use strict";

(() => {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const kept = (name, otherwise) => localStorage.getItem(name) ?? otherwise;
  const field = (id) => document.getElementById(id);
  let shownUpTo = -1;  // the number of moves that this page has shown
  let before = new Map();  // where places were before the last change, and how they looked
  let waiting = 0;
  let audio = null;
  let shown = null;  // the entry of the strip whose places are marked

  const pace = () => Number(kept("pace", still.matches ? "0" : "700"));
  const turn = () => JSON.parse(field("turn").textContent);
  const inSight = (it) => it.checkVisibility() && it.getBoundingClientRect().width > 0;
  const places = (name) => [...document.querySelectorAll(`#board [data-place="${CSS.escape(name)}"]`)].filter(inSight);

  function hand(name) {  // a hidden hand is one place, an open one has a place for each card
    return places(name)[0] || places(name.split(".")[0])[0];
  }

  function look(group) {
    const { left, top, width, height } = group.getBoundingClientRect();
    return { left, top, width, height, drawn: group.cloneNode(true) };
  }

  function remember() {
    before = new Map();
    for (const group of document.querySelectorAll("#board [data-place]")) {
      if (inSight(group) && !before.has(group.dataset.place)) before.set(group.dataset.place, look(group));
    }
  }

  function picture(from, to, seat, colours) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "flying");
    if (seat !== null) {
      svg.setAttribute("viewBox", "0 0 20 20");
      const token = document.querySelector(`.step .token`)?.cloneNode(true);
      if (!token) return null;
      token.querySelector("circle").setAttribute("fill", colours[seat][0]);
      token.querySelector("text").setAttribute("fill", colours[seat][1]);
      token.querySelector("text").textContent = seat;
      svg.append(...token.childNodes);
      return [svg, 26, 26];
    }
    const as = from.width * from.height < to.width * to.height || !to.drawn ? from : to;
    const [width, height] = as.drawn.dataset.size.split(" ").map(Number);
    const copy = as.drawn.cloneNode(true);
    for (const name of ["transform", "data-place", "id", "tabindex", "role"]) copy.removeAttribute(name);
    for (const mark of copy.querySelectorAll(".mark, .changed-mark, .shown-mark")) mark.remove();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.append(copy);
    return [svg, as.width, as.height];
  }

  function fly([source, goal, seat], colours, time) {
    const from = before.get(source) || before.get(source.split(".")[0]);
    const arrived = hand(goal);
    if (!from || !arrived) return;
    const to = look(arrived);
    const found = picture(from, to, seat, colours);
    if (!found) return;
    const [svg, width, height] = found;
    svg.style.width = `${width}px`;
    svg.style.height = `${height}px`;
    document.body.append(svg);
    const at = (box, size) => `translate(${box.left + (box.width - width * size) / 2}px, ${box.top + (box.height - height * size) / 2}px) scale(${size})`;
    svg.animate(
      [{ transform: at(from, 1) }, { transform: at(from, 1.15), offset: 0.15 }, { transform: at(to, Math.min(1, to.width / width)) }],
      { duration: Math.max(250, Math.min(time, 900)), easing: "ease-in-out" },
    ).finished.finally(() => svg.remove());
  }

  function sound() {
    if (kept("sound", "on") !== "on" || !audio) return;
    const tone = audio.createOscillator(), volume = audio.createGain(), now = audio.currentTime;
    tone.type = "triangle";
    tone.frequency.setValueAtTime(520, now);
    tone.frequency.exponentialRampToValueAtTime(260, now + 0.09);
    volume.gain.setValueAtTime(0.06, now);
    volume.gain.exponentialRampToValueAtTime(0.0001, now + 0.16);
    tone.connect(volume).connect(audio.destination);
    tone.start(now);
    tone.stop(now + 0.18);
  }

  // The latest change has come in: show it, and ask for the next one after a while.
  function arrived() {
    const number = Number(field("number").value), said = turn();
    if (shownUpTo >= 0 && number > shownUpTo) {
      const time = pace();
      sound();
      if (time && !still.matches) {
        for (const flight of said.flights) fly(flight, said.colours, time);
      }
      const entry = document.querySelector(`.step[data-step="${number - 1}"]`);
      if (entry) {
        entry.classList.add("now");
        entry.scrollIntoView({ block: "nearest", inline: "start" });
      }
    }
    shownUpTo = number;
    field("log").scrollTop = field("log").scrollHeight;
    field("skip").hidden = !said.behind;
    clearTimeout(waiting);
    waiting = 0;
    if (said.behind) {
      // Many moves go faster, so that nobody waits long.
      waiting = setTimeout(next, Math.min(pace(), 6000 / (said.behind + 1)));
    }
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

  // An entry of the strip shows where it happened.
  async function show(entry) {
    for (const mark of document.querySelectorAll("#board .shown-mark")) mark.remove();
    shown = entry;
    if (!entry) return [];
    const asked = new URLSearchParams({ number: entry.dataset.step, as: field("as").value });
    const answer = await fetch(`${field("strip").dataset.from}?${asked}`);
    if (!answer.ok || shown !== entry) return [];
    const found = (await answer.json()).flatMap(places);
    for (const group of found) {
      const [width, height] = group.dataset.size.split(" ").map(Number);
      const mark = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const [name, value] of [["class", "shown-mark"], ["x", -2], ["y", -2], ["width", width + 4], ["height", height + 4], ["rx", 5]]) {
        mark.setAttribute(name, value);
      }
      group.append(mark);
    }
    return found;
  }

  function settings() {
    field("pace").value = String(pace());
    field("stepwise").value = pace() ? "1" : "";
    field("sound").setAttribute("aria-pressed", String(kept("sound", "on") === "on"));
  }

  document.addEventListener("htmx:beforeSwap", () => {
    if (pace() && !still.matches) remember();
    field("stepwise").value = pace() ? "1" : "";
  });
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
      const [first] = await show(entry);
      if (name === "click" && first) first.scrollIntoView({ block: "nearest", behavior: still.matches ? "auto" : "smooth" });
    });
  }
  document.addEventListener("pointerdown", () => {
    if (!audio && window.AudioContext && kept("sound", "on") === "on") audio = new AudioContext();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("#skip")) skip();
    if (event.target.closest("#sound")) {
      localStorage.setItem("sound", kept("sound", "on") === "on" ? "off" : "on");
      settings();
    }
  });
  document.addEventListener("change", (event) => {
    if (event.target.id !== "pace") return;
    localStorage.setItem("pace", event.target.value);
    settings();
  });
  document.addEventListener("DOMContentLoaded", () => { settings(); arrived(); });
})();
