// What the themes' own scripts leave out: the table of contents in the drawer, text that is pasted into the search field, and
// words for Zensical's search in an address.

(() => {
  // In narrow windows, the drawer gets a copy of the table of contents beside the text.
  const fill = () => {
    const list = document.querySelector(".md-sidebar--secondary .md-nav__list");
    const drawer = document.querySelector(".md-sidebar--primary .md-nav--secondary > .md-nav__list");
    if (list && drawer?.childElementCount === 0) drawer.append(...list.cloneNode(true).children);
  };
  fill();
  globalThis.document$?.subscribe(fill); // after each instant navigation

  // Material listens for keys: text that is pasted with the mouse, dictated or completed has none.
  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-md-component=search-query]")) event.target.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
  });

  // The page for unknown addresses leads to such an address.
  const words = new URLSearchParams(location.search).get("q");
  const dialog = words && document.querySelector(".md-search__button");
  const ask = () => {
    const field = [...document.body.children].map((child) => child.shadowRoot?.querySelector("input")).find(Boolean);
    if (!field) return setTimeout(ask, 50);
    field.value = words;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  if (dialog) dialog.click(), ask();
})();
