// Explains a place of the board, or a term, in a box beside it. The box opens where the mouse rests or
// the Tab key leads, and after a right click or a long press. This script runs before `board.js`, so
// that a click that begins or ends a move opens no box.
"use strict";

(() => {
  const REST = 500, TERM = 200, PRESS = 500;  // milliseconds
  const GAP = 6;  // pixels between a thing and its explanation
  const known = new Map();  // explanations by name and version of the table
  let shown = null;  // what is being explained
  let stays = false;  // whether it stays shown when the mouse goes elsewhere
  let under = null;  // the thing under the mouse
  let timer = 0, pressing = 0, held = false, byTab = false;
  let mouse = "";

  const box = () => document.getElementById("explained");
  const field = (id) => document.getElementById(id)?.value ?? "";
  const thing = (event) => event.target.closest?.(".term, #board [data-place]") ?? null;
  const isTerm = (it) => it?.matches(".term");
  const topicOf = (it) => it.dataset.topic || it.dataset.place;
  const choosing = () => document.querySelector("#board .chosen") !== null;

  function hide() {
    clearTimeout(timer);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    stays = false;
    if (box()) box().hidden = true;
  }

  async function explanation(name) {
    const key = `${name} ${field("version")}`;
    if (!known.has(key)) {
      const answer = await fetch(`${box().dataset.from}?${new URLSearchParams({ name, as: field("as") })}`);
      if (!answer.ok) return "";
      known.set(key, await answer.text());
    }
    return known.get(key);
  }

  // Returns the spot where the box covers the least of its thing and of the places to click.
  function spot(found, it) {
    const at = it.getBoundingClientRect(), [width, height] = [found.offsetWidth, found.offsetHeight];
    const within = (value, size, room) => Math.max(4, Math.min(value, room - size - 4));
    const places = [...document.querySelectorAll("#board .target")].map((one) => one.getBoundingClientRect());
    const shared = (left, top, one) =>
      Math.max(0, Math.min(left + width, one.right) - Math.max(left, one.left)) *
      Math.max(0, Math.min(top + height, one.bottom) - Math.max(top, one.top));
    const spots = [[at.left, at.bottom + GAP], [at.left, at.top - GAP - height], [at.right + GAP, at.top], [at.left - GAP - width, at.top]]
      .map(([left, top]) => [within(left, width, document.documentElement.clientWidth), within(top, height, innerHeight)])
      .map(([left, top]) => ({ left, top, cost: places.reduce((sum, one) => sum + shared(left, top, one), 100 * shared(left, top, at)) }));
    return spots.reduce((best, one) => (one.cost < best.cost ? one : best));
  }

  async function show(it, lasting) {
    clearTimeout(timer);
    if (!box()) return;
    if (shown === it) {
      stays ||= lasting;
      return;
    }
    hide();
    [shown, stays] = [it, lasting];
    const text = await explanation(topicOf(it)).catch(() => "");
    if (shown !== it || !text || !it.isConnected) return;
    const found = box();
    found.querySelector("dl").innerHTML = text;
    found.hidden = false;
    const { left, top } = spot(found, it);
    Object.assign(found.style, { left: `${left}px`, top: `${top}px` });
    it.setAttribute("aria-describedby", found.id);
  }

  // Hides an explanation once its thing is gone, as after the next move.
  function settled() {
    if (shown && !shown.isConnected) hide();
  }

  document.addEventListener("pointermove", (event) => {
    const at = `${event.screenX} ${event.screenY}`;
    if (event.pointerType !== "mouse" || at === mouse) return;  // the page has moved under a mouse that rests
    mouse = at;
    const it = thing(event), inside = event.target.closest?.("#explained");
    if (inside) clearTimeout(timer);
    if (inside || it === under) return;
    under = it;
    clearTimeout(timer);
    if (it && it !== shown && !stays) {
      timer = setTimeout(() => { if (it.isConnected && !choosing()) show(it, false); }, isTerm(it) ? TERM : REST);
    } else if (shown && it !== shown && !stays) {
      timer = setTimeout(hide, TERM);
    }
  });
  document.addEventListener("pointerdown", (event) => {
    held = byTab = false;
    clearTimeout(timer);
    const it = thing(event);
    if (!event.target.closest("#explained") && it !== shown) hide();
    if (it && event.pointerType !== "mouse") pressing = setTimeout(() => { held = true; show(it, true); }, PRESS);
  });
  for (const ended of ["pointerup", "pointercancel", "pointerleave"]) document.addEventListener(ended, () => clearTimeout(pressing));
  // The click that ends a long press must not play a move.
  document.addEventListener("click", (event) => {
    if (held) { event.stopPropagation(); event.preventDefault(); }
    held = false;
  }, true);
  document.addEventListener("click", (event) => {
    if (event.target.closest("#explained button")) { hide(); return; }
    const it = thing(event);
    if (isTerm(it) || (it && !choosing() && !it.closest(".target"))) show(it, true);
    else if (it) hide();
  });
  document.addEventListener("contextmenu", (event) => {
    const it = thing(event);
    if (!it) return;
    event.preventDefault();
    show(it, true);
  });
  document.addEventListener("focusin", (event) => {
    const it = thing(event);
    if (isTerm(it) || (it && byTab && !choosing())) show(it, true);
    else if (shown && it !== shown && !event.target.closest("#explained")) hide();
  });
  document.addEventListener("keydown", (event) => {
    byTab = event.key === "Tab";
    if (event.key === "Escape") hide();
    const it = thing(event);
    if (isTerm(it) && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); show(it, true); }
  });
  document.addEventListener("scroll", (event) => {
    if (shown && document.activeElement !== shown && event.target.contains(shown)) hide();
  }, { passive: true, capture: true });
  document.addEventListener("board:changed", () => {
    if (!isTerm(shown)) hide();  // a word means the same after a move
  });
  document.addEventListener("htmx:afterSettle", settled);
})();
