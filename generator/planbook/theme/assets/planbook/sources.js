// Searches the works on the Sources page. Everything else there works without scripts; this adds the search field and other
// orders, unfolds sites with matches and hides the others, shows the numbers of matches, and copies the entry of one work.

(() => {
  const box = document.querySelector(".pb-sources");
  const find = box && box.querySelector(".pb-find");
  if (!find) return;
  const field = find.querySelector("input");
  const found = find.querySelector(".pb-found");
  const sites = [...box.querySelectorAll(".pb-site")].map((site) => ({
    site,
    list: site.querySelector("ul"),
    count: site.querySelector("summary b"),
    link: box.querySelector(`.pb-sites a[href="#${site.querySelector("ul").id}"]`), // there if there are several sites
    before: null, // whether the reader had it open, while we keep it open
    works: [...site.querySelectorAll("li[data-check]")].map((work) => ({
      work,
      words: `${site.querySelector("summary").textContent} ${work.textContent}`.toLowerCase(),
    })),
  }));
  const hosts = [...box.querySelectorAll(".pb-sites > ul")].map((list) => {
    const isOf = (part, selector) => (part?.matches(selector) ? part : null);
    return { list, name: isOf(list.previousElementSibling, ".pb-host"), more: isOf(list.nextElementSibling, ".pb-more") };
  });
  // What works are chosen by: the name of the buttons, and the attribute of a work
  const facets = [["pb-check", "check"], ["pb-kind", "kind"]].map(([name, key]) => ({
    key,
    radios: [...box.querySelectorAll(`[name=${name}]`)].map((radio) => ({ radio, count: radio.parentElement.querySelector("b") })),
  }));
  const chosenOf = ({ radios }) => radios.find(({ radio }) => radio.checked)?.radio.value ?? "all";
  const total = sites.reduce((sum, { works }) => sum + works.length, 0);

  const unfold = (entry, isWanted) => {
    if (isWanted && entry.before === null) [entry.before, entry.site.open] = [entry.site.open, true];
    if (!isWanted && entry.before !== null) [entry.before, entry.site.open] = [null, entry.before];
  };

  // Works in one list, whatever their site
  const order = find.querySelector("select");
  const flat = Object.assign(document.createElement("details"), { className: "pb-site pb-flat", open: true });
  flat.innerHTML = "<summary>All works</summary><ul></ul>";
  const pagesOf = (work) => work.querySelectorAll(":scope > div a").length;
  const ORDERS = {
    quotes: (a, b) => b.dataset.quotes - a.dataset.quotes,
    pages: (a, b) => pagesOf(b) - pagesOf(a),
    day: (a, b) => (b.dataset.day ?? "").localeCompare(a.dataset.day ?? ""),
  };
  const arrange = () => {
    const compare = ORDERS[order.value];
    if (compare) {
      const works = sites.flatMap((entry) => entry.works.map(({ work }) => work));
      flat.lastElementChild.replaceChildren(...works.sort(compare));
      box.querySelector(".pb-org").before(flat);
    } else if (flat.isConnected) {
      for (const { list, works } of sites) list.replaceChildren(...works.map(({ work }) => work));
      flat.remove();
    }
  };

  // Sites without a match are not in the way of those that have one
  const showLinks = (entry, here, isChosen) => {
    if (!entry.link) return;
    entry.link.parentElement.hidden = here === 0 && !isChosen;
    entry.link.querySelector("b").textContent = here;
    if (isChosen) entry.link.setAttribute("aria-current", "true");
    else entry.link.removeAttribute("aria-current");
  };
  const FEW = 8; // sites that are not folded
  const showHosts = () => {
    for (const { list, name, more } of hosts) {
      const folded = more?.querySelectorAll("li:not([hidden])").length ?? 0;
      if (more) [more.hidden, more.querySelector("b").textContent] = [folded === 0, folded];
      const isFew = folded > 0 && folded <= FEW;
      if (more && isFew !== more.classList.contains("pb-few")) more.open = more.classList.toggle("pb-few");
      if (name) name.hidden = folded === 0 && !list.querySelector("li:not([hidden])");
    }
  };

  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = facets.map(chosenOf);
    const chosen = sites.find(({ list }) => `#${list.id}` === location.hash);
    let left = 0;
    const sums = facets.map(() => ({ all: 0 })); // of each facet, the works by value that its other values would show
    for (const entry of sites) {
      let here = 0;
      for (const { work, words: text } of entry.works) {
        work.hidden = (flat.isConnected && chosen && chosen !== entry) || !words.every((word) => text.includes(word));
        const fits = facets.map(({ key }, i) => wanted[i] === "all" || work.dataset[key] === wanted[i]);
        const isChosen = !work.hidden && (!chosen || chosen === entry);
        facets.forEach(({ key }, i) => {
          if (!isChosen || !fits.every((isFit, other) => isFit || other === i)) return;
          sums[i].all += 1;
          sums[i][work.dataset[key]] = (sums[i][work.dataset[key]] ?? 0) + 1;
        });
        if (!work.hidden && fits.every(Boolean)) here += 1;
      }
      if (!chosen || chosen === entry) left += here;
      entry.count.textContent = `${here < entry.works.length ? `${here} of ` : ""}${entry.works.length}`;
      showLinks(entry, here, chosen === entry);
      entry.site.hidden = flat.isConnected || here === 0;
      unfold(entry, here > 0 && (words.length > 0 || chosen === entry));
    }
    showHosts();
    const most = box.querySelector(".pb-most");
    if (most) most.hidden = words.length > 0 || flat.isConnected;
    for (const group of box.querySelectorAll(".pb-org")) group.hidden = !group.querySelector(".pb-site:not([hidden])");
    facets.forEach(({ radios }, i) => {
      for (const { radio, count } of radios) count.textContent = (sums[i][radio.value] ?? 0).toLocaleString("en");
    });
    box.classList.toggle("pb-nothing", left === 0);
    found.textContent = `${left === total ? "" : `${left.toLocaleString("en")} of `}${total.toLocaleString("en")} works`;
  };

  // The entry of a work in the two downloads, copied by a button. A work gets its buttons when its site is unfolded.
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
  const addButtons = (work) => {
    if (work.querySelector(".pb-copy")) return;
    const place = Object.assign(document.createElement("span"), { className: "pb-copy", textContent: " · copy as" });
    work.lastElementChild.append(place);
    for (const name of Object.keys(FORMS)) {
      const button = Object.assign(document.createElement("button"), { className: "pb-copy-entry", type: "button", textContent: name });
      button.setAttribute("aria-label", `Copy as ${name}`);
      button.addEventListener("click", () => copyEntry(button, work.dataset.id));
      place.append(" ", button);
    }
  };
  const addToOpen = () => box.querySelectorAll(".pb-site[open] li[data-id]").forEach(addButtons);
  if (navigator.clipboard && location.protocol !== "file:") {
    box.addEventListener("toggle", addToOpen, true);
    addToOpen();
  }

  // On a phone, what was found is in sight: the field moves up to the header
  const lift = () => {
    const first = [...box.querySelectorAll(".pb-site")].find((site) => site.checkVisibility());
    const isFar = first && first.getBoundingClientRect().top > innerHeight * 0.6;
    if (field.value && isFar) find.scrollIntoView({ block: "start", behavior: "instant" });
  };

  // The browser's way back finds what was open and chosen, also after instant navigation
  const remember = ({ target }) => {
    if (!target.closest("a[href]:not([href^='#'])")) return;
    const open = sites.filter(({ site }) => site.open).map(({ list }) => list.id);
    const chosen = facets.map(chosenOf);
    history.replaceState({ ...history.state, pbSources: { open, chosen, words: field.value, order: order.value } }, "");
  };
  const restore = ({ open, chosen, words, order: chosenOrder }) => {
    for (const { site, list } of sites) if (open.includes(list.id)) site.open = true;
    facets.forEach(({ radios }, i) => radios.forEach(({ radio }) => (radio.checked = radio.value === chosen[i])));
    [field.value, order.value] = [words, chosenOrder];
  };
  box.addEventListener("click", remember, true);
  if (history.state?.pbSources) restore(history.state.pbSources);

  let waiting;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      show();
      lift();
    }, 80); // debounced, so that screen readers do not announce every keystroke
  });
  order.addEventListener("change", arrange); // before what is shown
  box.addEventListener("change", show);
  const follow = () => (box.isConnected ? show() : removeEventListener("hashchange", follow));
  addEventListener("hashchange", follow);
  arrange();
  show();
})();
