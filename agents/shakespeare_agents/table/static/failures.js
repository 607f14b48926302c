// Every request that fails is reported on its page, and what is safe.
"use strict";

(() => {
  const show = (id, shown) => { document.getElementById(id).hidden = !shown; };

  function report(answer) {
    const kind = answer.getResponseHeader("Content-Type") || "";
    const words = kind.startsWith("text/plain") ? answer.responseText : `The server could not answer (${answer.status}).`;
    document.querySelector("#failed span").textContent = words;
    show("failed", true);
  }

  document.addEventListener("htmx:responseError", (event) => report(event.detail.xhr));
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!event.detail.successful) return;
    show("failed", false);
    show("offline", false);
  });
  for (const lost of ["htmx:sendError", "htmx:sseError"]) document.addEventListener(lost, () => show("offline", true));
  document.addEventListener("htmx:sseOpen", () => show("offline", false));
  document.addEventListener("click", (event) => {
    if (event.target.closest("#failed button")) show("failed", false);
  });
})();
