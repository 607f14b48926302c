// Runs on every page: the choice of dark or light, links to copy, questions, and messages about failed
// requests.
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

  // Asks a question in a dialog. Each answer is a text and what it does. Whoever closes the dialog
  // otherwise has cancelled.
  function ask(question, answers, cancelled = () => {}) {
    const dialog = document.createElement("dialog");
    dialog.className = "asking";
    const title = document.createElement("p");
    title.textContent = question;
    dialog.append(title);
    for (const [words, act] of [...answers, ["Cancel", null]]) {
      const choice = document.createElement("button");
      choice.type = "button";
      choice.textContent = words;
      choice.addEventListener("click", () => {
        dialog.close(act ? "answered" : "");
        act?.();
      });
      dialog.append(choice);
    }
    dialog.addEventListener("close", () => {
      if (!dialog.returnValue) cancelled();
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  // In the lobby: whoever chooses for a single seat has not chosen the same for all.
  document.addEventListener("change", ({ target }) => {
    if (!target.matches("#new [name^=seat]")) return;
    for (const name of ["opponents", "shown_opponents"]) if (target.form[name]) target.form[name].value = "";
  });

  // A form with a question is sent once it has been answered, as what it does cannot be taken back.
  document.addEventListener("submit", (event) => {
    const form = event.target, { question } = form.dataset;
    if (!question) return;
    event.preventDefault();
    ask(question, [[event.submitter.textContent, () => {
      // The form leads to another page. An answer to an earlier request must not lead elsewhere, such
      // as back to a seat that has just been left.
      document.addEventListener("htmx:beforeOnLoad", (it) => { it.preventDefault(); });
      form.submit();
    }]]);
  });

  window.page = { ask };  // for other scripts
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
  for (const lost of ["htmx:sendError", "htmx:timeout", "htmx:sseError"]) document.addEventListener(lost, () => show("offline", true));
  document.addEventListener("htmx:sseOpen", () => show("offline", false));
})();
