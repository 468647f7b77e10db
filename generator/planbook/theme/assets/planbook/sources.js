// Searches the works on the Sources page. Everything else there works without scripts; this adds the search field,
// unfolds sites with matches, shows the number of matches, and copies the entry of one work.

(() => {
  const box = document.querySelector(".pb-sources");
  const find = box && box.querySelector(".pb-find");
  if (!find) return;
  const field = find.querySelector("input");
  const found = find.querySelector(".pb-found");
  const sites = [...box.querySelectorAll(".pb-site")].map((site) => ({
    site,
    list: site.querySelector("ul"),
    before: null, // whether the reader had it open, while we keep it open
    works: [...site.querySelectorAll("li[data-check]")].map((work) => ({
      work,
      words: `${site.querySelector("summary").textContent} ${work.textContent}`.toLowerCase(),
    })),
  }));
  const total = sites.reduce((sum, { works }) => sum + works.length, 0);

  const unfold = (entry, isWanted) => {
    if (isWanted && entry.before === null) [entry.before, entry.site.open] = [entry.site.open, true];
    if (!isWanted && entry.before !== null) [entry.before, entry.site.open] = [null, entry.before];
  };

  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const check = box.querySelector("[name=pb-check]:checked")?.value ?? "all";
    const chosen = sites.find(({ list }) => `#${list.id}` === location.hash);
    let left = 0;
    for (const entry of sites) {
      let here = 0;
      for (const { work, words: text } of entry.works) {
        work.hidden = !words.every((word) => text.includes(word));
        if (!work.hidden && (check === "all" || work.dataset.check === check)) here += 1;
      }
      if (!chosen || chosen === entry) left += here;
      entry.site.hidden = here === 0;
      unfold(entry, here > 0 && (words.length > 0 || chosen === entry));
    }
    box.classList.toggle("pb-nothing", left === 0);
    found.textContent = `${left === total ? "" : `${left.toLocaleString("en")} of `}${total.toLocaleString("en")} works`;
  };

  // The entry of a work in the two downloads, copied by a button. A work gets its buttons when a reader comes to it.
  const FORMS = {
    BibTeX: [box.dataset.bib, (text, id) => text.split(/\n(?=@)/).find((entry) => entry.slice(0, entry.indexOf(",")).endsWith(`{${id}`))],
    "CSL-JSON": [box.dataset.json, (text, id) => JSON.stringify(JSON.parse(text).filter((item) => item.id === id), null, 1)],
  };
  const copyEntry = async (button, id) => {
    const [address, entryOf] = FORMS[button.textContent];
    const text = await (await fetch(address)).text();
    await navigator.clipboard.writeText(`${entryOf(text, id).trim()}\n`);
    globalThis.alert$?.next("Copied to clipboard"); // of Material
  };
  const addButtons = ({ target }) => {
    const work = target.closest("li[data-id]");
    if (!work || work.querySelector(".pb-copy-entry") || !navigator.clipboard || location.protocol === "file:") return;
    for (const name of Object.keys(FORMS)) {
      const button = Object.assign(document.createElement("button"), { className: "pb-copy-entry", type: "button", textContent: name });
      button.setAttribute("aria-label", `Copy as ${name}`);
      button.addEventListener("click", () => copyEntry(button, work.dataset.id));
      work.lastElementChild.append(" ", button);
    }
  };
  for (const type of ["pointerover", "focusin"]) box.addEventListener(type, addButtons);

  let waiting;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 80); // debounced, so that screen readers do not announce every keystroke
  });
  box.addEventListener("change", show);
  const follow = () => (box.isConnected ? show() : removeEventListener("hashchange", follow));
  addEventListener("hashchange", follow);
  show();
})();
