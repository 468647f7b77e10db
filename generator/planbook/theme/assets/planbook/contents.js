// What the themes' own scripts leave out: the table of contents in the drawer, names and keys, text that is pasted into the
// search field, and words for Zensical's search in an address. Where scripts do not run, pages hold without it.

(() => {
  const every = (selector) => document.querySelectorAll(selector);
  const [drawer, search] = ["__drawer", "__search"].map((id) => document.getElementById(id));
  const field = document.querySelector("[data-md-component=search-query]"); // of Material; Zensical has a button
  const [isPhone, isNarrow, hasMenu] = ["(max-width: 44.984375em)", "(max-width: 59.984375em)", "(max-width: 76.234375em)"].map((query) => matchMedia(query));

  // In narrow windows, the drawer gets a copy of the table of contents beside the text.
  const fill = () => {
    const list = document.querySelector(".md-sidebar--secondary .md-nav__list");
    const inside = document.querySelector(".md-sidebar--primary .md-nav--secondary > .md-nav__list");
    if (list && inside?.childElementCount === 0) inside.append(...list.cloneNode(true).children);
  };
  fill();
  globalThis.document$?.subscribe(fill); // after each instant navigation

  // Material marks the words of a query also within others: "no" in "asynchronous". Here, marks begin with a word, and end
  // with one: that of a long word with the word that goes on, and that of a short one before it.
  const markWords = (mark) => {
    mark.removeAttribute("data-md-highlight");
    const near = [mark.previousSibling, mark.nextSibling].map((each) => (each?.nodeType === Node.TEXT_NODE || each?.matches?.("mark") ? each : null));
    const [before, after] = near.map((each) => each?.textContent ?? "");
    const around = mark.parentNode;
    const text = mark.textContent;
    const head = /[\p{L}\p{N}]$/u.test(before) ? text.match(/^[\p{L}\p{N}]*\s*/u)[0] : "";
    const rest = after.match(/^[\p{L}\p{N}]*/u)[0];
    const last = rest ? text.slice(head.length).match(/[\p{L}\p{N}]*$/u)[0] : "";
    const goesOn = last.length > 3 && near[1].nodeType === Node.TEXT_NODE;
    const cut = text.slice(0, text.length - last.length).trimEnd().length;
    const end = goesOn ? text.length : Math.max(head.length, cut);
    if (goesOn) mark.nextSibling.data = after.slice(rest.length);
    mark.textContent = text.slice(head.length, end) + (goesOn ? rest : "");
    mark.before(head);
    mark.after(text.slice(end));
    if (!/[\p{L}\p{N}]/u.test(mark.textContent)) mark.replaceWith(mark.textContent);
    around.normalize();
  };

  // On a phone, a table that is wider than the text is a list of its rows, unless it holds values to compare. Its parts keep
  // their roles.
  // Its code breaks after a sign, and within a word only if that is wider than the list.
  const BREAK_AFTER = /(?<=[_=.\/:,([-])(?=[\p{L}\p{N}])/u;
  const addBreaks = (code) => {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) {
      const [first, ...rest] = text.data.split(BREAK_AFTER);
      if (rest.length) text.replaceWith(first, ...rest.flatMap((piece) => [document.createElement("wbr"), piece]));
    }
  };
  const ROLES = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TH: "columnheader", TD: "cell" };
  // Names of columns: one that several have is told apart by the column before it, "16,384 tokens: ms"
  const namesOf = (cells) => {
    const names = cells.map((cell) => cell.textContent.trim());
    const isOfSeveral = (name) => names.indexOf(name) !== names.lastIndexOf(name);
    let group = "";
    return names.map((name) => {
      if (isOfSeveral(name)) return group ? `${group}: ${name}` : name;
      group = name.replace(/[:,][^:,]*$/, "");
      return name;
    });
  };
  // Values: no cell beside the first is long, or half of them begin with a figure and none is a sentence. Markers do not count.
  const [VALUE, FIGURE] = [20, 40]; // characters
  const textOf = (cell) => cell.textContent.replace(/\[\d+\]/g, "").trim();
  const besideFirst = (table) => [...table.querySelectorAll("tbody td:not(:first-child)")];
  const hasValues = (table) => {
    const texts = besideFirst(table).map(textOf).filter(Boolean);
    const longest = Math.max(...texts.map((text) => text.length));
    const figures = texts.filter((text) => /^[~≈<>≤≥±+−-]?\s?\d/.test(text)).length;
    return longest <= VALUE || (longest <= FIGURE && figures >= texts.length / 2);
  };
  const keepTable = (box, table) => {
    for (const cell of besideFirst(table)) cell.classList.toggle("pb-value", textOf(cell).length <= VALUE);
    table.querySelectorAll("td:first-child code").forEach(addBreaks);
    box.classList.add("pb-values");
  };
  const SHORT = 14; // characters of a value that stands beside its name
  const stack = (table) => {
    const names = namesOf([...(table.tHead?.rows[0]?.cells ?? [])]);
    const isPlain = names.length > 1 && !table.querySelector("[colspan], [rowspan], table");
    if (!isPlain) return;
    for (const part of [table, ...table.querySelectorAll("thead, tbody, tr, th, td")]) part.role = ROLES[part.tagName];
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
    const isShort = (cell) => cell.textContent.trim().length <= SHORT;
    const areShort = rows.every((row) => [...row.cells].slice(1).every(isShort)); // all of them: one card has one layout
    for (const row of rows)
      [...row.cells].forEach((cell, i) => {
        if (names.length > 2 && names[i]) cell.dataset.label = names[i];
        cell.classList.toggle("pb-short", i > 0 && areShort);
      });
    table.querySelectorAll("code").forEach(addBreaks);
    table.classList.add("pb-stacked");
  };
  const unstack = (table) => {
    table.removeAttribute("class");
    for (const mark of table.querySelectorAll("code wbr")) mark.remove();
    table.normalize();
    for (const part of [table, ...table.querySelectorAll("[role]")]) part.removeAttribute("role");
  };
  const isWider = (box) => box.scrollWidth > box.clientWidth + 1;

  const complete = () => {
    // Labels open the drawer, its lists and, in narrow windows, the search. That of a section with a page of its own is empty.
    const labels = ".md-header__button:is([for=__drawer], [for=__search]), .md-nav__link[for], .md-nav__title[for^=__]:not([for=__drawer])";
    for (const label of every(labels)) {
      const link = label.parentElement.querySelector(":scope > a")?.textContent.trim();
      const name = { __drawer: document.querySelector(".md-nav--primary")?.ariaLabel, __search: field?.ariaLabel }[label.htmlFor] ?? link;
      if (name && !label.textContent.trim()) label.ariaLabel = name;
      const isText = !hasMenu.matches && label.matches(".md-nav__title, .md-nav__item--section > *, .md-nav__item--section > .md-nav__container > *");
      label.tabIndex = isText ? -1 : 0;
    }
    for (const button of every(".md-search__form button[title][aria-label]")) button.removeAttribute("title"); // a tooltip over what is found
    for (const title of every(".md-nav__item .md-ellipsis")) if (title.textContent.includes("_") && !title.querySelector("wbr")) addBreaks(title);
    if (field) field.tabIndex = isNarrow.matches ? -1 : 0; // there, the label opens it
    for (const dialog of every(".md-search[role=dialog]:not([aria-label])")) dialog.ariaLabel = field?.ariaLabel;
    for (const found of every(".md-search-result__meta:not([role])")) found.role = "status";
    for (const tools of every("nav.md-code__nav:not([role]), .md-search-result nav.md-tags:not([role])")) tools.role = "none"; // many of one name
    for (const mark of every("mark[data-md-highlight]")) markWords(mark);
    const [nearest, meta] = [document.querySelector(".md-search-result :is(.pb-no-page, .pb-no-word, .pb-no-match)"), document.querySelector(".md-search-result__meta")];
    if (nearest && meta.textContent !== nearest.textContent) meta.textContent = nearest.textContent;
    for (const button of every(".md-content__button[title]:not([aria-label])")) button.ariaLabel = button.title; // a tooltip takes the title
    for (const box of every(".md-typeset__scrollwrap")) {
      const table = box.querySelector("table:not([class])");
      if (!table || !isWider(box) || box.matches(".pb-values")) continue;
      if (isPhone.matches) hasValues(table) ? keepTable(box, table) : stack(table);
      else if (!table.querySelector("code wbr")) table.querySelectorAll("td code").forEach(addBreaks); // else one name takes the room of other columns
    }
    for (const box of every(".md-typeset__scrollwrap, .highlight > pre > code, .highlight .md-code__content, .pb-references .pb-code"))
      isWider(box) ? (box.tabIndex = 0) : box.removeAttribute("tabindex");
  };
  complete();
  new MutationObserver(complete).observe(document.documentElement, { childList: true, subtree: true });
  isPhone.addEventListener("change", () => every(".pb-stacked").forEach(unstack));
  addEventListener("resize", complete);

  // The button of the home page opens the search.
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".pb-open-search")) return;
    if (!field) return document.querySelector(".md-search__button")?.click();
    if (!search.checked) search.click();
    field.focus();
  });

  // Keys: Ctrl+K or Cmd+K opens the search, Space presses a label, and Escape closes what is open.
  let before; // what had the focus before the search
  const isOpen = (toggle) => toggle?.checked && (toggle === search ? field : hasMenu.matches);
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (field && key?.toLowerCase() === "k" && event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey) field.focus(), field.select(), search.checked || search.click();
    else if (key === " " && target.matches("label[tabindex='0']")) target.click();
    else if (key === "Escape" && isOpen(search)) search.click(), before?.focus();
    else if (key === "Escape" && isOpen(drawer)) drawer.click();
    else return;
    event.preventDefault();
  }, true);

  // A letter, comma or full stop alone does not leave the page or open the search, which dictated words would (WCAG 2.1.4).
  document.addEventListener("keydown", (event) => {
    if (!search?.checked && /^[fnps,.]$/i.test(event.key)) event.stopPropagation(); // the themes listen on the window
  });

  // The focus follows what opens and closes, and does not go where nothing is seen.
  addEventListener("focusin", ({ target, relatedTarget }) => {
    if (target === field) before = relatedTarget;
    if (isOpen(drawer) && !target.closest(".md-sidebar--primary")) drawer.click();
  });
  addEventListener("change", ({ target }) => {
    if (target === search && !target.checked) field?.blur();
    if (!hasMenu.matches || !target.matches(".md-nav__toggle, [data-md-toggle=drawer]")) return;
    const inside = target === drawer ? document.querySelector(".md-sidebar--primary") : target.parentElement.querySelector(":scope > .md-nav");
    const places = target.checked ? inside.querySelectorAll("a, label[tabindex='0']") : every(`label[for=${target.id}]:not(.md-nav__title, .md-overlay)`);
    [...places].find((each) => each.checkVisibility({ visibilityProperty: true }))?.focus({ preventScroll: true });
  });

  // Material listens for keys: text that is pasted with the mouse, dictated or completed has none.
  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-md-component=search-query]")) event.target.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
  });

  // The page for unknown addresses leads to such an address.
  const words = new URLSearchParams(location.search).get("q");
  const dialog = words && document.querySelector(".md-search__button");
  const ask = () => {
    const field = [...document.body.children].map((child) => child.shadowRoot?.querySelector("input")).find(Boolean);
    if (!field) return setTimeout(ask, 50);
    field.value = words;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  if (dialog) dialog.click(), ask();
})();
