// Finds works on the Sources page by their words. Everything else there works without scripts; this adds the field,
// unfolds the sites that hold what was found, and says how much is left.

(() => {
  const box = document.querySelector(".pb-sources");
  const find = box && box.querySelector(".pb-find");
  if (!find) return;
  const field = find.querySelector("input");
  const found = find.querySelector(".pb-found");
  const sites = [...box.querySelectorAll(".pb-site")].map((site) => ({
    site,
    wasOpen: site.open,
    list: site.querySelector("ul"),
    works: [...site.querySelectorAll("ul > li[data-check]")].map((work) => ({
      work,
      words: `${site.querySelector("summary").textContent} ${work.textContent}`.toLowerCase(),
    })),
  }));
  const total = sites.reduce((sum, { works }) => sum + works.length, 0);

  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const check = box.querySelector("[name=pb-check]:checked")?.value ?? "all";
    const chosen = sites.find(({ list }) => `#${list.id}` === location.hash);
    let left = 0;
    for (const entry of sites) {
      let here = 0;
      for (const { work, words: text } of entry.works) {
        work.hidden = !words.every((word) => text.includes(word));
        here += !work.hidden && (check === "all" || work.dataset.check === check);
      }
      const isOut = chosen && chosen !== entry;
      if (!isOut) left += here;
      entry.site.hidden = here === 0;
      entry.site.open = words.length || chosen === entry ? here > 0 : entry.wasOpen;
    }
    box.classList.toggle("pb-nothing", left === 0);
    found.textContent = left === total ? "" : `${left} of ${total} works`;
  };

  let waiting;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 80);
  });
  box.addEventListener("change", show);
  const onHash = () => (box.isConnected ? show() : removeEventListener("hashchange", onHash));
  addEventListener("hashchange", onHash);
  find.hidden = false;
  show();
})();
