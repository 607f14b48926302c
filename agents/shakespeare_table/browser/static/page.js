// Runs on every page: the choice of dark or light, and messages about failed requests.
"use strict";

(() => {
  const root = document.documentElement;
  const chosen = localStorage.getItem("theme");
  if (chosen) root.dataset.theme = chosen;

  const show = (id, shown) => { document.getElementById(id).hidden = !shown; };

  function report(answer) {
    const kind = answer.getResponseHeader("Content-Type") || "";
    const words = kind.startsWith("text/plain") ? answer.responseText : `The server could not answer (status ${answer.status}).`;
    document.querySelector("#failed span").textContent = words;
    show("failed", true);
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("#failed button")) show("failed", false);
    if (!event.target.closest("#theme")) return;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
  });
  // A refusal as text is no part of the page, so it is shown like a failure.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail, kind = xhr.getResponseHeader("Content-Type") || "";
    if (xhr.status !== 409 || !kind.startsWith("text/plain")) return;
    event.detail.shouldSwap = false;
    report(xhr);
  });
  document.addEventListener("htmx:responseError", (event) => report(event.detail.xhr));
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!event.detail.successful) return;
    if (event.detail.xhr.status !== 409) show("failed", false);
    show("offline", false);
  });
  for (const lost of ["htmx:sendError", "htmx:sseError"]) document.addEventListener(lost, () => show("offline", true));
  document.addEventListener("htmx:sseOpen", () => show("offline", false));
})();
