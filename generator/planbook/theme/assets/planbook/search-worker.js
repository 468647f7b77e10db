/* The worker of Material's search: it loads `search.js`, which answers, with the first query. */

"use strict";

(() => {
  const SETUP = 0, READY = 1, RESULT = 3;
  const own = new URL(typeof document === "undefined" ? location.href : document.currentScript.src);
  const answers = new URL(`search.js${own.search}`, own).href;
  let loading = null;
  addEventListener("message", async (event) => {
    if (event.data.type === SETUP) return postMessage({ type: READY });
    if (!event.data.data) return postMessage({ type: RESULT, data: { items: [], suggest: [] } }); // asked for with each page
    loading ??= Promise.resolve(importScripts(answers)); // a promise in a frame: see iframe-worker.js
    await loading;
    self.planbookAnswer(event);
  });
})();
