// Receives the events of all tables that a browser shows over one stream, since over HTTP/1.1 all its
// tabs share six connections to a server. Runs as a shared worker or, without those, in the page.
"use strict";

(() => {
  const AGAIN = 2000;  // milliseconds
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
    let shows = (address) => show(heard, address);
    function heard({ event, version }) {
      if (event !== "changed") htmx.trigger(live, `htmx:${event}`);
      else if (version !== document.getElementById("version").value) htmx.trigger("#latest", event);
    }
    if (window.SharedWorker) {
      const { port } = new SharedWorker("/static/stream.js");
      port.onmessage = ({ data }) => heard(data);
      shows = (address) => port.postMessage(address);
    } else {
      // A hidden page listens only if it has to tell its person of their turn.
      document.addEventListener("visibilitychange", () => shows(document.hidden && !localStorage.getItem("alerts") ? "" : live.dataset.table));
    }
    shows(live.dataset.table);
    addEventListener("pagehide", () => shows(""));
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
