// Keeps the parts of a page that are marked data-live="SECONDS" as they are on the server: the page
// is fetched again and what differs in those parts is changed, so that the focus, the selection, the
// place on the page and what is unfolded stay. It rests while nobody looks, waits longer after each
// failure, and says when it is cut off or the session has ended. Without it the page works as well.
"use strict";
(() => {
  const LONGEST = 300;
  const root = document.documentElement;
  const told = document.getElementById("live-told");
  const lost = document.getElementById("live-lost");
  const ended = document.getElementById("live-ended");
  let failures = 0;
  let timer = 0;
  let asked = 0;
  let said = "";

  const parts = () => [...document.querySelectorAll("[data-live][id]")];
  const said_by = (found) => found.map((part) => part.dataset.said || "").filter(Boolean).join(" ");

  const localize = () => {
    for (const time of document.querySelectorAll("time[datetime]")) {
      const moment = new Date(time.dateTime);
      if (!Number.isNaN(moment.valueOf())) time.title = moment.toLocaleString(root.lang);
    }
  };

  // What an element is about: rows that come and go above it do not turn it into another.
  const about = (node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return "";
    if (node.id) return node.id;
    if (!node.matches("a, li, tr, article, section")) return "";
    const named = node.matches("a") ? node : node.querySelector("[id], a[href]");
    return named ? named.id || named.getAttribute("href") || "" : "";
  };
  const is_same = (old, next) => old.nodeName === next.nodeName && about(old) === about(next);

  const match = (old, next) => {
    for (const { name } of [...old.attributes])
      if (!next.hasAttribute(name) && !(name === "open" && old.matches("details"))) old.removeAttribute(name);
    for (const { name, value } of next.attributes)
      if (old.getAttribute(name) !== value && !(name === "open" && old.matches("details"))) old.setAttribute(name, value);
  };

  const follow = (old, next) => {
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
      return;
    }
    match(old, next);
    let at = old.firstChild;
    for (const wanted of next.childNodes) {
      let twin = at;
      if (about(wanted)) while (twin && !is_same(twin, wanted)) twin = twin.nextSibling;
      if (!twin || !is_same(twin, wanted)) {
        old.insertBefore(document.importNode(wanted, true), at);
        continue;
      }
      for (; at !== twin; at = passed(at)) ;
      follow(twin, wanted);
      at = twin.nextSibling;
    }
    while (at) at = passed(at);
  };
  const passed = (gone) => {
    const next = gone.nextSibling;
    gone.remove();
    return next;
  };

  const exchange = (fresh) => {
    for (const old of parts()) {
      const next = fresh.getElementById(old.id);
      if (next) follow(old, next);
    }
    document.title = fresh.title;
    const now = said_by(parts());
    if (now && now !== said && told) told.textContent = now;
    said = now;
    localize();
  };

  const look = async () => {
    const mine = (asked += 1);
    try {
      const answer = await fetch(location.href, { cache: "no-store", credentials: "same-origin", redirect: "manual" });
      if (answer.type === "opaqueredirect" && ended) {
        ended.hidden = false;
        if (lost) lost.hidden = true;
        return;
      }
      if (!answer.ok) throw new Error(String(answer.status));
      const text = await answer.text();
      if (mine !== asked) return;
      exchange(new DOMParser().parseFromString(text, "text/html"));
      failures = 0;
      if (ended) ended.hidden = true;
    } catch {
      failures += 1;
    }
    if (lost) lost.hidden = failures < 2;
    plan();
  };

  const plan = () => {
    clearTimeout(timer);
    const seconds = Math.min(...parts().map((part) => Number(part.dataset.live) || 30));
    if (document.hidden || !Number.isFinite(seconds)) return;
    timer = setTimeout(look, 1000 * Math.min(LONGEST, seconds * 2 ** failures));
  };

  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : look()));
  said = said_by(parts());
  localize();
  plan();
})();
