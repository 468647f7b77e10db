// Draws the page's Mermaid diagrams when the first one comes near the window. Mermaid is loaded then, from the site
// itself. Without scripts, a diagram is its text.

(() => {
  const address = new URL("mermaid/mermaid.tiny.js", document.currentScript.src).href;
  // Colours are variables of the theme, so that diagrams follow its scheme, and paper.
  const themeCSS = `
    .node :is(rect, circle, ellipse, polygon, path), rect.actor, .note, .labelBox, .stateGroup rect {
      fill: var(--md-code-bg-color); stroke: var(--md-default-fg-color--light); }
    .cluster rect { fill: transparent; stroke: var(--md-default-fg-color--light); stroke-dasharray: 4 3; }
    text, tspan, text.actor > tspan, .messageText, .noteText, .loopText {
      fill: var(--md-typeset-color); stroke: none; }
    .flowchart-link, .transition, .relation, .messageLine0, .messageLine1, .actor-line, .loopLine {
      stroke: var(--md-default-fg-color--light); }
    .marker, marker path, .arrowheadPath { fill: var(--md-default-fg-color--light); stroke: none; }
    .edgeLabel rect, .edgeLabel .background { fill: var(--md-default-bg-color); opacity: 1; }`;
  let mermaid, drawn = 0;
  const load = () =>
    (mermaid ??= new Promise((resolve, reject) => {
      const onload = () => {
        globalThis.mermaid.initialize({
          startOnLoad: false, securityLevel: "strict", suppressErrorRendering: true, htmlLabels: false,
          theme: "base", fontFamily: "inherit", themeCSS, flowchart: { htmlLabels: false },
        });
        resolve(globalThis.mermaid);
      };
      document.head.append(Object.assign(document.createElement("script"), { src: address, onload, onerror: reject }));
    }));

  const draw = async (text) => {
    const figure = Object.assign(document.createElement("figure"), { className: "pb-diagram" });
    try {
      const { svg } = await (await load()).render(`pb-diagram-${drawn++}`, text.querySelector("code").textContent);
      figure.innerHTML = svg;
    } catch (error) {
      return console.warn(`A diagram is shown as text: ${error.message ?? "Mermaid could not be loaded"}`);
    }
    const { width } = figure.firstElementChild.viewBox.baseVal;
    figure.firstElementChild.style.minWidth = `${Math.round(width * 0.65)}px`; // below that, it scrolls
    figure.style.minHeight = `${text.offsetHeight}px`; // nothing below it moves up
    figure.tabIndex = 0; // in a narrow window it scrolls
    text.replaceWith(figure);
  };

  const near = new IntersectionObserver(async (seen) => {
    if (!seen.some((entry) => entry.isIntersecting)) return;
    near.disconnect();
    for (const text of document.querySelectorAll("pre.pb-diagram")) await draw(text);
  }, { rootMargin: "100%" });
  const watch = () => document.querySelectorAll("pre.pb-diagram").forEach((text) => near.observe(text));
  watch();
  globalThis.document$?.subscribe(watch); // of Material: another page was loaded in place
})();
