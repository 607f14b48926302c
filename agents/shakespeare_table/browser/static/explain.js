// What lies at a place of the board, or what a word means, beside it: where the mouse rests or the
// Tab key leads, by a right click or a long press. It comes before `board.js`: a click that begins
// or ends a move explains nothing.
"use strict";

(() => {
  const REST = 500, TERM = 200, PRESS = 500;  // milliseconds
  const GAP = 6;  // pixels between a thing and its explanation
  const known = new Map();  // explanations, as long as the table stays the same
  let shown = null;  // what is being explained
  let stays = false;  // even if the mouse goes elsewhere
  let under = null;  // what the mouse is on
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

  // Where the box lies over as little as possible of the thing and of places that may be clicked.
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

  // The next move, or anything else that takes the thing away, ends its explanation.
  function settled() {
    if (shown && !shown.isConnected) hide();
  }

  document.addEventListener("pointermove", (event) => {
    const at = `${event.screenX} ${event.screenY}`;
    if (event.pointerType !== "mouse" || at === mouse) return;  // else the page has moved
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
  // The click that ends a long press plays nothing.
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
