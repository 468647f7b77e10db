// Keys that a reader presses before the theme's scripts are there: Ctrl+K, Cmd+K and / lead into the search, and what is
// typed then stands in its field, where the theme reads it. This is loaded in the head, before the page is shown.

(() => {
  document.documentElement.classList.replace("no-js", "js"); // as the theme's script does later: it shows the field
  const isTyped = ({ target }) => target.closest?.("input, textarea, select, [contenteditable]");
  const early = (event) => {
    if (globalThis.keyboard$) return removeEventListener("keydown", early, true); // the theme listens now
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const isShortcut = key?.toLowerCase() === "k" && ctrlKey !== metaKey && !altKey && !shiftKey;
    const isSlash = key === "/" && !ctrlKey && !metaKey && !altKey && !isTyped(event);
    const field = document.querySelector("[data-md-component=search-query]");
    if (!field || !(isShortcut || isSlash)) return;
    field.focus();
    event.preventDefault();
  };
  addEventListener("keydown", early, true);
})();
