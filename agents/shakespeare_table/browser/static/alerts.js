// Tells a person whose page is out of sight that it is their turn, by a notification and a tone.
"use strict";

(() => {
  const KEY = "alerts";
  const TONE = { frequency: 660, seconds: 0.25, volume: 0.15 };
  const wants = () => localStorage.getItem(KEY) === "1";
  const field = (id) => document.getElementById(id);
  let waited = false;  // whether the page has waited for others since the person's last move
  let sound = null;

  // Browsers let pages make sounds only after a click or a key.
  function audio() {
    if (!wants() || !window.AudioContext) return;
    sound ??= new AudioContext();
    if (sound.state === "suspended") sound.resume();
  }

  function tone() {
    if (!sound || sound.state !== "running") return;
    const source = sound.createOscillator(), volume = sound.createGain();
    const end = sound.currentTime + TONE.seconds;
    source.frequency.value = TONE.frequency;
    volume.gain.setValueAtTime(TONE.volume, sound.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, end);
    source.connect(volume).connect(sound.destination);
    source.start();
    source.stop(end);
  }

  // Returns whether the notification could be shown. Some phones let only installed pages show one.
  function notify(words) {
    if (!window.Notification || Notification.permission !== "granted") return false;
    try {
      const shown = new Notification(document.title.replace(/^▶ /, ""), { body: words, icon: "/static/icon.svg", tag: location.pathname });
      shown.onclick = () => { focus(); shown.close(); };
      return true;
    } catch {
      return false;
    }
  }

  function explain(words) {
    field("alerts-note").querySelector("span").textContent = words;
    field("alerts-note").hidden = !words;
  }

  function showSwitch() {
    const button = field("alerts");
    if (!button) return;
    button.hidden = false;
    button.setAttribute("aria-pressed", String(wants()));
  }

  async function switchOn() {
    localStorage.setItem(KEY, "1");
    audio();
    tone();
    if (!window.isSecureContext) {
      explain("You will hear a tone when it is your turn. Notifications need a page that came by HTTPS.");
      return;
    }
    if (window.Notification && Notification.permission === "default") await Notification.requestPermission();
    if (notify("You will be told here when it is your turn.")) explain("");
    else explain("You will hear a tone when it is your turn. This browser shows no notifications of this page.");
  }

  function toggle() {
    if (wants()) {
      localStorage.removeItem(KEY);
      explain("");
    } else {
      switchOn();
    }
    showSwitch();
  }

  // Tells of the person's turn, or of a rematch, if it comes after a time of waiting.
  function settled() {
    const isTurn = field("moves-title") !== null || field("rematch-made") !== null;
    if (isTurn && waited && wants()) {
      tone();
      if (document.hidden || !document.hasFocus()) notify(field("rematch-made") ? "A rematch has begun." : field("sentence").textContent);
    }
    waited = !isTurn;
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("#alerts")) toggle();
    else if (event.target.closest("#alerts-note button")) explain("");
    else audio();
  });
  document.addEventListener("keydown", audio);
  document.addEventListener("DOMContentLoaded", () => { showSwitch(); settled(); });
  document.addEventListener("htmx:afterSettle", settled);
})();
