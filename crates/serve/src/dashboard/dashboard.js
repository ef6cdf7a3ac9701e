// The dashboard: the live part is replaced as the crawl moves, and charts tell their values.
(() => {
  "use strict";
  const part = document.getElementById("live");
  const done = document.querySelector(".notice.done");
  if (done) {
    // It is said once: neither when the page is loaded again nor for long where things move on.
    const address = new URL(location);
    address.searchParams.delete("done");
    history.replaceState(history.state, "", address);
    if (part) setTimeout(() => done.remove(), 10000);
  }
  if (!part) return;

  // Numbers that nobody renews any more must not look like those of now.
  const old = document.createElement("div");
  old.setAttribute("role", "status");
  part.before(old);
  let heard = new Date();
  let missed = 0;
  const hear = () => {
    heard = new Date();
    missed = 0;
    old.replaceChildren();
  };
  const miss = () => {
    missed = document.hidden ? 0 : missed + 1;
    if (missed <= (timer ? 6 : 2) || old.firstChild) return;
    const notice = document.createElement("p");
    notice.className = "notice warn";
    const time = heard.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    notice.textContent = "No answer since " + time + ": these numbers are old.";
    old.append(notice);
  };

  let busy = false;
  const refresh = async () => {
    const selection = getSelection();
    const held = () => document.hidden || part.querySelector(":active") ||
      (selection && !selection.isCollapsed && part.contains(selection.anchorNode));
    if (busy || held()) return;
    busy = true;
    try {
      const answer = await fetch(part.dataset.source, { headers: { accept: "text/html" } });
      if (!answer.ok) return;
      hear();
      const text = await answer.text();
      if (held()) return;
      const focused = part.contains(document.activeElement) && document.activeElement.id;
      const open = [...part.querySelectorAll("details[open]")].map((it) => it.id);
      part.innerHTML = text;
      open.forEach((id) => id && document.getElementById(id)?.setAttribute("open", ""));
      if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
      if (pointed) point(pointed);
    } catch {
      // The server is away: the next event comes when it is back.
    } finally {
      busy = false;
    }
  };

  // Where the pointer is over a chart: the nearest point, its value in the corner.
  let pointed = null;
  const point = (at) => {
    const svg = document.elementFromPoint(at.x, at.y)?.closest?.("figure.chart .plot")?.firstElementChild;
    if (!svg) return false;
    svg.querySelector("title")?.remove();
    const room = svg.getBoundingClientRect();
    const last = Math.max(1, svg.dataset.count - 1);
    const index = Math.round(Math.min(1, Math.max(0, (at.x - room.left) / room.width)) * last);
    const cursor = svg.querySelector(".cursor");
    cursor.setAttribute("visibility", "visible");
    cursor.setAttribute("x1", index / last * 600);
    cursor.setAttribute("x2", index / last * 600);
    const lines = [...svg.querySelectorAll(".line")];
    const values = lines.map((line) => {
      const value = line.dataset.values.split("|")[index] || "–";
      return lines.length > 1 ? line.dataset.name + " " + value : value;
    });
    const seconds = (last - index) * svg.dataset.step;
    const ago = seconds < 120 ? seconds + " s" : seconds < 7200 ? Math.round(seconds / 60) + " min" :
      (seconds / 3600).toFixed(1) + " h";
    svg.parentElement.querySelector(".reading").textContent =
      values.join(", ") + ", " + (seconds ? ago + " " + svg.dataset.before : svg.dataset.end);
    return true;
  };
  const leave = () => {
    pointed = null;
    document.querySelectorAll(".chart .reading").forEach((it) => { it.textContent = ""; });
    document.querySelectorAll(".chart .cursor").forEach((it) => it.setAttribute("visibility", "hidden"));
  };
  document.addEventListener("pointermove", (event) => {
    const at = { x: event.clientX, y: event.clientY };
    if (pointed) leave();
    if (point(at)) pointed = at;
  }, { passive: true });
  document.addEventListener("keydown", (event) => {
    // A sentence that covers something can be put away.
    if (event.key === "Escape" && document.activeElement?.matches(".explained")) document.activeElement.blur();
  });

  let events = null;
  let timer = 0;
  const listen = () => {
    missed = 0;
    if (document.hidden) {
      events?.close();
      events = null;
      return;
    }
    if (events || timer) return;
    events = new EventSource("/api/events");
    events.addEventListener("status", () => { hear(); refresh(); });
    events.onerror = () => {
      // Where there is no seat left it is asked now and then.
      if (events?.readyState === EventSource.CLOSED && !timer) timer = setInterval(refresh, 5000);
    };
  };
  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => { events?.close(); events = null; });
  addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
  listen();
  setInterval(miss, 2000);
})();
