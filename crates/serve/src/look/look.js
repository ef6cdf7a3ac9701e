// Counts which results are opened, and lets "/" find the search box.
(() => {
  "use strict";
  const counted = (event) => {
    if (event.button > 1) return;
    const link = event.target.closest?.("a[data-click]");
    if (link) navigator.sendBeacon(link.dataset.click);
  };
  if (navigator.sendBeacon) {
    // Not by both: what the browser would send by itself is sent here, so that all browsers do.
    for (const link of document.querySelectorAll("a[ping]")) {
      link.dataset.click = link.getAttribute("ping");
      link.removeAttribute("ping");
    }
    document.addEventListener("click", counted);
    document.addEventListener("auxclick", counted);
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input,textarea,select,[contenteditable]")) return;
    const box = document.querySelector("input[type=search]");
    if (!box) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
})();
