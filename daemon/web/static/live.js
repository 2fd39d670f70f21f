// Keeps the parts of a page that are marked data-live="SECONDS" as they are on the server: the page
// is fetched again and those parts are exchanged. It rests while nobody looks, waits longer after
// each failure, and says in the footer when it is cut off. Without it the page works as well.
"use strict";
(() => {
  const LONGEST = 300;
  const root = document.documentElement;
  const told = document.getElementById("live-told");
  const lost = document.getElementById("live-lost");
  let failures = 0;
  let timer = 0;
  let said = "";

  const parts = () => [...document.querySelectorAll("[data-live][id]")];
  const said_by = (found) => found.map((part) => part.dataset.said || "").filter(Boolean).join(" ");

  const localize = () => {
    for (const time of document.querySelectorAll("time[datetime]")) {
      const moment = new Date(time.dateTime);
      if (!Number.isNaN(moment.valueOf())) time.title = moment.toLocaleString(root.lang);
    }
  };

  const exchange = (fresh) => {
    for (const old of parts()) {
      const next = fresh.getElementById(old.id);
      if (!next || next.isEqualNode(old) || old.contains(document.activeElement)) continue;
      const open = [...old.querySelectorAll("details")].map((one) => one.open);
      const taken = document.importNode(next, true);
      taken.querySelectorAll("details").forEach((one, n) => { if (open[n]) one.open = true; });
      old.replaceWith(taken);
    }
    document.title = fresh.title;
    const now = said_by(parts());
    if (now && now !== said && told) told.textContent = now;
    said = now;
    localize();
  };

  const look = async () => {
    try {
      const answer = await fetch(location.href, { cache: "no-store", credentials: "same-origin", redirect: "error" });
      if (!answer.ok) throw new Error(String(answer.status));
      exchange(new DOMParser().parseFromString(await answer.text(), "text/html"));
      failures = 0;
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
