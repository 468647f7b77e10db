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
  for (const stop of place.querySelectorAll("a, summary")) stop.tabIndex = isInside ? 0 : -1;
};

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
  const quotesOf = (places, work) => {
    const quotes = places.map((place) => place.cloneNode(true));
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
    const locator = line(locatorOf(work, link.id));
    const quotes = quotesOf(places.filter((place) => place !== work), work);
    const status = line(statusOf(work), linkTo(work.id, `Reference ${number}`), " · ", claim);
    return isBeside ? [...quotes, title, locator, status] : [title, locator, ...quotes, status];
  };

  // A marker with several works opens the evidence of all, that of the link itself first
  return (link, isBeside = false) => {
    const others = link.closest(".pb-cites")?.querySelectorAll(CITATION) ?? [];
    const parts = [...new Set([link, ...others])].flatMap((each) => ofWork(each, isBeside));
    return parts.length ? parts : null;
  };
})();
