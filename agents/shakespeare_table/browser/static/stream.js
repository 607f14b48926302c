// Receives the events of all tables that a browser shows over one stream, since over HTTP/1.1 all its
// tabs share six connections to a server. Runs as a shared worker, or in a page whose worker is missing
// or silent.
"use strict";

(() => {
  const AGAIN = 2000;  // milliseconds, as all times here
  const FIRST = 10000;  // within which a worker must answer a new page
  const SILENCE = 50000;  // after which a stream is dead, since it repeats all versions every 20 seconds
  const pages = new Map();  // the tables that pages show, by the function that tells the page
  let source = null, again = 0;

  function tell(event, version, address) {
    for (const [said, table] of pages) if (!address || address === table) said({ event, version });
  }

  function listen() {
    clearTimeout(again);
    source?.close();
    source = null;
    if (!pages.size) return;
    source = new EventSource(`/events?${new URLSearchParams([...new Set(pages.values())].map((it) => ["of", it]))}`);
    source.onopen = () => tell("sseOpen");
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) again = setTimeout(listen, AGAIN);
      tell("sseError");
    };
    source.addEventListener("changed", ({ data }) => tell("changed", ...data.split(" ")));
  }

  // Registers the table that a page shows. Without an address the page is gone or hidden.
  function show(said, address) {
    if (address) pages.set(said, address);
    else pages.delete(said);
    listen();
  }

  function inPage() {
    const live = document.getElementById("live");
    let worker = null, silence = 0;
    let shows;  // tells who listens for this page that it shows a table, or none

    function heard({ event, version }) {
      watch(SILENCE);
      if (event !== "changed") htmx.trigger(live, `htmx:${event}`);
      else if (version !== document.getElementById("version").value) htmx.trigger("#latest", event);
    }

    // A worker or a connection may die without a word, as when a computer has slept.
    function watch(patience) {
      clearTimeout(silence);
      silence = setTimeout(() => {
        if (worker) {
          listenHere();
        } else {
          watch(SILENCE);
          listen();
        }
      }, patience);
    }

    function listenHere() {
      worker?.port.postMessage("");
      worker = null;
      shows = (address) => { watch(SILENCE); show(heard, address); };
      // A hidden page listens only if it has to tell its person of their turn.
      document.addEventListener("visibilitychange", () => shows(document.hidden && !localStorage.getItem("alerts") ? "" : live.dataset.table));
      shows(live.dataset.table);
    }

    if (window.SharedWorker) {
      worker = new SharedWorker("/static/stream.js");
      worker.onerror = () => { if (worker) listenHere(); };
      worker.port.onmessage = ({ data }) => { if (worker) heard(data); };
      shows = (address) => worker.port.postMessage(address);
      watch(FIRST);
      shows(live.dataset.table);
    } else {
      listenHere();
    }
    addEventListener("pagehide", () => shows(""));
    // What the page has missed is asked for again, as the stream says it only once in a while.
    for (const lost of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
      document.addEventListener(lost, ({ target, detail }) => {
        const { status } = detail.xhr;
        if (target.id === "latest" && (!status || status === 429 || status >= 500)) setTimeout(() => htmx.trigger("#latest", "changed"), AGAIN);
      });
    }
  }

  if (globalThis.document) {
    document.addEventListener("DOMContentLoaded", inPage);
  } else {
    onconnect = ({ ports: [port] }) => {
      const said = (what) => port.postMessage(what);
      port.onmessage = ({ data }) => show(said, data);
    };
  }
})();
