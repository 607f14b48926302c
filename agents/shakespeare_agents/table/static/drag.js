// With a mouse, a move of several places may be dragged from one place to the next. What is let go
// elsewhere is put back.
"use strict";

(() => {
  const FAR = 8; // pixels, from which a press is no click
  let pressed = null, flying = null, dropped = false;
  const target = (event) => event.target.closest && event.target.closest("#board .target");

  // A copy of what is dragged, under the pointer.
  function copyOf(group) {
    const flying = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const copy = group.cloneNode(true), { width, height } = group.getBoundingClientRect();
    for (const name of ["transform", "data-place", "tabindex", "role"]) copy.removeAttribute(name);
    for (const mark of copy.querySelectorAll(".mark, .changed-mark")) mark.remove();
    flying.setAttribute("class", "flying");
    flying.setAttribute("viewBox", `0 0 ${group.dataset.size}`);
    Object.assign(flying.style, { width: `${width}px`, height: `${height}px` });
    flying.append(copy);
    document.body.append(flying);
    return flying;
  }

  function end() {
    flying?.remove();
    pressed = flying = null;
  }

  document.addEventListener("pointerdown", (event) => {
    end();
    dropped = false;
    const group = event.pointerType === "mouse" && event.button === 0 ? target(event) : null;
    if (!group) return;
    const { left, top } = group.getBoundingClientRect(), { clientX: x, clientY: y } = event;
    pressed = { group, x, y, left, top };
  });

  document.addEventListener("pointermove", (event) => {
    if (!pressed) return;
    const [right, down] = [event.clientX - pressed.x, event.clientY - pressed.y];
    if (!flying) {
      if (Math.hypot(right, down) < FAR) return;
      flying = copyOf(pressed.group);
      board.lift(pressed.group.dataset.place);
    }
    flying.style.transform = `translate(${pressed.left + right}px, ${pressed.top + down}px)`;
  });

  document.addEventListener("pointerup", (event) => {
    const to = target(event);
    if (flying && to) {
      board.drop(to.dataset.place);
      dropped = true; // only now: the page clicks a button to play
    } else if (flying) {
      board.putBack();
    }
    end();
  });

  document.addEventListener("pointercancel", () => {
    if (flying) board.putBack();
    end();
  });

  // The click that follows a drop means nothing.
  document.addEventListener("click", (event) => {
    if (dropped) event.stopPropagation();
    dropped = false;
  }, true);
})();
