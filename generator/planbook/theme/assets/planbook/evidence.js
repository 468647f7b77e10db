// The evidence of a citation: what the References section says about the work and the quotes. The scripts behind this one
// (`preview.js`, `margin.js`, `citations.js`) find each other's functions in `planbook`: they are loaded one by one, in
// this order, as a page that is read from a folder may not load modules.

globalThis.planbook ??= {};

planbook.CITATION = 'a[id^="c."]';

// Returns a paragraph of the parts that are there; empty text if none is
planbook.line = (...parts) => {
  const paragraph = document.createElement("p");
  for (const part of parts) if (part) paragraph.append(" ", part.cloneNode?.(true) ?? part);
  return paragraph.childNodes.length ? paragraph : "";
};

// Lets Tab stop at what is in a place, or lead past it
planbook.reach = (place, isInside) => {
  for (const stop of place.querySelectorAll("a, summary, button")) stop.tabIndex = isInside ? 0 : -1;
};

// Copies the BibTeX entry of a work, which the base's list of works has by its address or its title
planbook.copyButtons = (() => {
  const list = new URL("../../references.bib", document.currentScript.src); // beside `assets`
  const plain = (text) => text.replace(/[\\{}]/g, "");
  const copy = async (work) => {
    const title = work.querySelector('[data-pb="title"]');
    const entries = (await (await fetch(list)).text()).split(/\n(?=@)/);
    const ofAddress = title.href && entries.find((entry) => entry.includes(`  url = {${title.getAttribute("href")}},`));
    const entry = ofAddress ?? entries.find((each) => plain(each).includes(`  title = ${title.textContent},`));
    if (!entry) throw new Error(`no entry of ${title.textContent}`);
    await navigator.clipboard.writeText(`${entry.trim()}\n`);
    globalThis.alert$?.next("Copied to clipboard"); // of Material
  };
  // The listener is on the document: buttons are copied with the evidence
  addEventListener("click", ({ target }) => {
    const button = target.closest?.(".pb-bibtex");
    if (button) copy(document.getElementById(button.dataset.work));
  });
  return (work) => {
    if (!navigator.clipboard || location.protocol === "file:") return [];
    const button = Object.assign(document.createElement("button"), { className: "pb-bibtex", type: "button", textContent: "copy BibTeX" });
    button.dataset.work = work.id;
    return [" · ", button];
  };
})();

// Returns the elements of the evidence of a citation; null if it has none
planbook.evidence = (() => {
  const { CITATION, line } = planbook;
  const find = (id) => document.getElementById(id) ?? document.getElementById(decodeURIComponent(id));
  const linkTo = (id, text) => Object.assign(document.createElement("a"), { href: `#${id}`, textContent: text });

  // The parts of a work, which `views/templates/references.html` marks with attributes
  const partOf = (work, name) => work.querySelector(`[data-pb="${name}"]`);
  const locatorOf = (work, citation) => work.querySelector(`[data-of="${CSS.escape(citation)}"]`);
  const statusOf = (work) => {
    const isOnline = partOf(work, "title").matches("a[href^=http]"); // the common status is that of sources on the web
    return partOf(work, "state") ?? (isOnline && document.querySelector('.pb-common > [data-pb="common"]'));
  };
  // Divides quoted code into its lines: one that is wider than its place goes on further in
  const divideLines = (code) => {
    const texts = code.textContent.split(/(?<=\n)/);
    const lines = texts.map((textContent) => Object.assign(document.createElement("span"), { className: "pb-line", textContent }));
    for (const line of lines) line.style.setProperty("--pb-indent", `${line.textContent.search(/\S|$/)}ch`);
    code.replaceChildren(...lines);
  };
  const quotesOf = (places, work) => {
    const quotes = places.map((place) => place.cloneNode(true));
    for (const quote of quotes) quote.querySelectorAll(".pb-code").forEach(divideLines);
    const copy = partOf(work, "copy"); // of what its paragraphs were read in, where the list says it once
    for (const quote of quotes) {
      quote.removeAttribute("id");
      if (copy) quote.querySelector("details")?.append(copy.cloneNode(true));
    }
    return quotes;
  };

  const ofWork = (link, isBeside) => {
    const places = [link.hash.slice(1), ...(link.dataset.also?.split(" ") ?? [])].map(find).filter(Boolean);
    const work = places[0]?.closest(".pb-references > li");
    if (!work) return [];
    const number = [...work.parentElement.children].indexOf(work) + 1;
    const claim = linkTo(link.id, "copy link");
    claim.dataset.clipboardText = claim.href; // Material's scripts copy the text of this attribute
    const title = line(partOf(work, "title"), partOf(work, "about"));
    const about = isBeside && title.querySelector?.('[data-pb="about"]')?.firstChild;
    if (about) about.data = about.data.replace(/^\s*·\s*/, ""); // it stands in a line of its own there
    const locator = line(locatorOf(work, link.id));
    const quotes = quotesOf(places.filter((place) => place !== work), work);
    const status = line(statusOf(work), linkTo(work.id, `Reference ${number}`), " · ", claim, ...planbook.copyButtons(work));
    if (!isBeside) return [title, locator, ...quotes, status];
    const source = Object.assign(document.createElement("div"), { className: "pb-source" });
    source.append(...[title, locator, status].filter(Boolean));
    const section = document.createElement("section");
    section.append(...quotes, source);
    return [section];
  };

  // A marker with several works opens the evidence of all, that of the link itself first
  return (link, isBeside = false) => {
    const others = link.closest(".pb-cites")?.querySelectorAll(CITATION) ?? [];
    const parts = [...new Set([link, ...others])].flatMap((each) => ofWork(each, isBeside));
    return parts.length ? parts : null;
  };
})();

// A link to a work shows its quotes. A link to a quote leads to its work, if both have room below the header: the quote
// alone would not say whose it is.
planbook.showWork = () => {
  const quotes = document.querySelector(".pb-references > li:target > details");
  if (quotes) quotes.open = true;
  const quote = document.querySelector(".pb-references blockquote:target");
  const work = quote?.closest(".pb-references > li");
  if (!work) return;
  const header = document.querySelector(".md-header")?.getBoundingClientRect().bottom ?? 0;
  const [top, bottom] = [work.getBoundingClientRect().top, quote.getBoundingClientRect().bottom];
  const hasRoom = bottom - top < innerHeight - header - 32;
  if (hasRoom && top < header) scrollBy({ top: top - header - 16, behavior: "instant" });
};
planbook.showWork();

// A button beside the heading of the references shows the quotes of all works, and hides them again
planbook.addUnfold = () => {
  const list = document.querySelector(".pb-references");
  const folded = [...(list?.querySelectorAll(":scope > li > details") ?? [])];
  if (folded.length < 2 || document.querySelector(".pb-unfold")) return;
  const button = Object.assign(document.createElement("button"), { className: "pb-unfold", type: "button" });
  const name = (isOpen) => {
    button.textContent = isOpen ? "Hide all quotes" : "Show all quotes";
    button.setAttribute("aria-expanded", isOpen);
  };
  button.addEventListener("click", () => {
    const isOpen = button.getAttribute("aria-expanded") === "false";
    for (const quotes of folded) quotes.open = isOpen;
    name(isOpen);
  });
  name(false);
  (document.querySelector(".pb-common") ?? list).before(button);
};
planbook.addUnfold();

// Of the references, the one under the pointer or with the focus has the button that copies it
const offerCopy = ({ target }) => {
  const work = target.closest?.(".pb-references > li");
  if (!work || work.querySelector(":scope > div > .pb-bibtex")) return;
  for (const button of document.querySelectorAll(".pb-references > li > div > .pb-bibtex")) {
    button.previousSibling.remove();
    button.remove();
  }
  work.querySelector(":scope > div")?.append(...planbook.copyButtons(work));
};
for (const event of ["pointerover", "focusin"]) addEventListener(event, offerCopy, { passive: true });
globalThis.document$?.subscribe(planbook.addUnfold); // of Material: another page was loaded in place
for (const event of ["load", "hashchange"]) addEventListener(event, planbook.showWork); // a page has no target before it is loaded
