// A button that copies the page's Markdown twin, beside the one to edit the page.

(() => {
  const ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M19 21H8V7h11m0-2H8a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h11a2 2 0 0 0 2-2V7a2 2 0 0 0-2-2m-3-4H4a2 2 0 0 0-2 2v14h2V3h12z"/></svg>';
  const BUTTON = `<button class="md-content__button md-icon pb-copy" title="Copy page as Markdown">${ICON}</button>`;

  const addButton = () => {
    const head = document.querySelector("head template")?.content;
    const twin = head?.querySelector('[type="text/markdown"]')?.getAttribute("href");
    const article = document.querySelector("article");
    const canCopy = location.protocol !== "file:" && navigator.clipboard;
    if (!twin || !canCopy || !article || article.querySelector(".pb-copy")) return;
    const last = [...article.querySelectorAll(":scope > .md-content__button")].at(-1);
    if (last) last.insertAdjacentHTML("afterend", BUTTON);
    else article.insertAdjacentHTML("afterbegin", BUTTON);
    article.querySelector(".pb-copy").addEventListener("click", async () => {
      const text = await (await fetch(new URL(twin, location))).text();
      await navigator.clipboard.writeText(text);
      globalThis.alert$?.next("Copied to clipboard");
    });
  };
  addButton();
  globalThis.document$?.subscribe(addButton); // of Material: another page was loaded in place
})();
