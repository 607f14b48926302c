// Runs on every page: the choice of dark or light, links to copy, and messages about failed requests.
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

  // Copies a text. Pages that came by plain HTTP have no clipboard, but may copy what is selected.
  async function copy(button) {
    const words = button.firstChild;
    const before = words.textContent;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
    } catch {
      const field = document.createElement("input");
      field.value = button.dataset.copy;
      button.after(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    words.textContent = "Copied";
    setTimeout(() => { words.textContent = before; }, 2000);
  }

  document.addEventListener("click", (event) => {
    const copies = event.target.closest(".copy");
    if (copies) copy(copies);
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
