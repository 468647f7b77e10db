// Loads what only some pages need: evidence where a page cites, drawings where it has a diagram, breaks where it has code, and
// previews of links once a pointer or a key is used. Scripts of one list are run in its order.

(() => {
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
  const EVIDENCE = ["evidence.js", "preview.js", "margin.js", "citations.js"];
  const NEEDS = { "pre.pb-diagram": ["diagrams.js"], "article .highlight > pre": ["code.js"] };
  const loaded = new Set();
  const load = (names) => {
    for (const name of names) {
      if (loaded.has(name)) continue;
      loaded.add(name);
      document.head.append(Object.assign(document.createElement("script"), { src: folder + name, async: false }));
    }
  };
  // The style of what these scripts add comes first. It stands in the body, as instant navigation exchanges the head.
  let style = null;
  const loadEvidence = () => {
    style ??= new Promise((resolve) => {
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `${folder}added.css` });
      link.onload = link.onerror = resolve;
      document.body.append(link);
    });
    style.then(() => load(EVIDENCE));
  };
  const loadForPage = () => {
    if (document.querySelector('article a[id^="c."]')) loadEvidence();
    for (const [selector, names] of Object.entries(NEEDS)) if (document.querySelector(selector)) load(names);
  };
  loadForPage();
  globalThis.document$?.subscribe(loadForPage); // of Material: another page was loaded in place

  // What the next page or the search may need is fetched ahead: its style sheet would else come after its text.
  const START = ["pointermove", "pointerdown", "keydown"];
  const fetchAhead = (as, href) => document.head.append(Object.assign(document.createElement("link"), { rel: "prefetch", as, href }));
  const onStart = () => {
    for (const type of START) removeEventListener(type, onStart);
    loadEvidence();
    for (const name of ["page.css", "lists.css"]) fetchAhead("style", folder + name);
    const settings = JSON.parse(document.getElementById("__config")?.textContent ?? "{}"); // of Material
    const [worker, version] = settings.search?.split("?") ?? [];
    if (worker?.endsWith("/search-worker.js")) fetchAhead("script", `${folder}search.js?${version}`);
  };
  for (const type of START) addEventListener(type, onStart, { passive: true });
})();
