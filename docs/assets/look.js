// Gives names and keyboard access to what Material for MkDocs makes without them. It only sets attributes, so that
// nothing is missing where scripts do not run; each part can go when Material does the same.

(() => {
  const mend = () => {
    // The search opens as a dialog, and a dialog needs a name.
    for (const dialog of document.querySelectorAll(".md-search[role=dialog]:not([aria-label])"))
      dialog.setAttribute("aria-label", "Search");

    // A section that has a page of its own leaves the label of its list empty: take the name of its link.
    for (const nav of document.querySelectorAll(".md-nav nav[aria-labelledby]")) {
      const label = document.getElementById(nav.getAttribute("aria-labelledby"));
      const link = nav.parentElement.querySelector(":scope > .md-nav__container > a, :scope > a");
      if (label && link && !label.textContent.trim()) {
        nav.removeAttribute("aria-labelledby");
        nav.setAttribute("aria-label", link.textContent.trim());
      }
    }

    // The buttons on a block of code are no navigation, and have no name as one.
    for (const tools of document.querySelectorAll("nav.md-code__nav:not([role])")) tools.setAttribute("role", "none");

    // A wide table scrolls in a box of its own, which must be reached by keyboard.
    for (const box of document.querySelectorAll(".md-typeset__scrollwrap"))
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
  };

  mend();
  // Instant navigation and Material's own scripts put new elements in place at any time.
  new MutationObserver(mend).observe(document.documentElement, { childList: true, subtree: true });
  addEventListener("resize", mend);
})();
