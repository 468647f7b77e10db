// Places within a page: the way there and back keeps the page as it is.
// Material's instant navigation compares an address with the last one that it went to. There is none at first, so it would
// load the page again for a place on it. Until it goes to another page, the browser goes to places and back by itself.
// This must be loaded before Material's script, as listeners of the window are called in the order they were added.

(() => {
  const loaded = location.pathname + location.search;
  let isAsLoaded = true;
  const isPlaceHere = ({ origin, pathname, search }) => isAsLoaded && origin === location.origin && pathname + search === loaded;
  addEventListener("popstate", (event) => isPlaceHere(location) && event.stopImmediatePropagation());
  addEventListener("DOMContentLoaded", () => {
    globalThis.location$?.subscribe(() => (isAsLoaded = false));
    for (const part of document.body.children) // Material listens on the body
      part.addEventListener("click", (event) => {
        const link = event.target.closest?.("a[href]");
        if (link?.hash && isPlaceHere(link)) event.stopPropagation();
      });
  });
})();
