// Fills the table of contents in the drawer of narrow windows from the one beside the text.

(() => {
  const fill = () => {
    const list = document.querySelector(".md-sidebar--secondary .md-nav__list");
    const drawer = document.querySelector(".md-sidebar--primary .md-nav--secondary > .md-nav__list");
    if (list && drawer?.childElementCount === 0) drawer.append(...list.cloneNode(true).children);
  };
  fill();
  globalThis.document$?.subscribe(fill); // after each instant navigation
})();
