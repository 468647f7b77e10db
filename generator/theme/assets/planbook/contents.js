// What Material's own scripts leave out: the table of contents in the drawer, and two ways to use the search field.

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
  const field = "[data-md-component=search-query]";
  document.addEventListener("input", (event) => {
    if (event.target.matches(field)) event.target.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
  });

  // Enter opens the best page at its top, although only one of its sections may have the words.
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Enter" || !event.target.matches?.(field)) return;
      const [page, section] = document.querySelectorAll(".md-search-result__item:first-child > a");
      if (!section?.querySelector("mark") || page.querySelector("mark")) return;
      event.stopPropagation();
      event.preventDefault();
      section.click();
    },
    true,
  );
})();
