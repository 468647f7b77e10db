// In a wide window, evidence beside the text: that of the citation that was clicked, which stays; else that of the sentence
// under the pointer, of the citation with the focus, or of the one nearest to where one reads.

planbook.margin = (() => {
  const { CITATION, evidence, reach } = planbook;
  const READING_LINE = 0.4; // of the height of the window
  const LEAST_CONTENTS = 0.35; // of the height of the window, which the contents of the page keep
  const LEAST_IF_PINNED = 0.2; // the same, beside evidence that the reader asked for
  const GAP = 12; // pixels around the margin
  const SENTENCE = "pb-sentence"; // the name of the highlight in planbook.css
  const CITED_BEFORE = /\s*\[[\d, ]+\]/g; // markers of other citations in the sentence
  const isWide = matchMedia("(min-width: 80em)");
  const element = document.createElement("aside");
  Object.assign(element, { className: "pb-margin", hidden: true });
  element.setAttribute("aria-label", "Evidence of the sentence that is read");

  // Says that what is shown stays, and lets go of it
  const bar = document.createElement("p");
  const BAR = '<b>Pinned</b> <button type="button" title="Escape">Close</button> <a></a>';
  Object.assign(bar, { className: "pb-pin", hidden: true, innerHTML: BAR });

  let citations = []; // of the page
  let shown = null; // the citation whose evidence is in the margin
  let pointed = null; // the citation of the sentence under the pointer
  let pinned = null; // the citation whose evidence stays
  let isDue = false; // it is shown anew in the next frame

  const isBesideText = () => isWide.matches && element.isConnected;
  const isUsed = () => element.matches(":focus-within, :hover");
  const contentsBox = () => element.parentElement?.querySelector(".md-sidebar__scrollwrap");
  const bottomOfHeader = () => document.querySelector(".md-header")?.getBoundingClientRect().bottom ?? 0;

  // The citation whose evidence is to be shown, of those in the window
  const chooseCitation = () => {
    const heights = new Map();
    for (const link of citations) {
      const place = link.getBoundingClientRect();
      const isInWindow = place.top >= bottomOfHeader() && place.bottom <= innerHeight;
      if (place.height && isInWindow) heights.set(link, place.top);
    }
    const chosen = [document.activeElement, pointed].find((link) => heights.has(link));
    if (chosen) return chosen;
    const distance = (link) => Math.abs(heights.get(link) - innerHeight * READING_LINE);
    let nearest = null;
    for (const link of heights.keys()) if (!nearest || distance(link) < distance(nearest)) nearest = link;
    return nearest;
  };

  // The sentence that a citation ends, as a range of its block
  const SAYS_SOMETHING = /[\p{L}\p{N}]/u;
  const sentenceOf = (link) => {
    const block = link.closest("p, li, td, th, dd, blockquote, h1, h2, h3, h4");
    const marker = link.closest(".pb-cites") ?? link;
    const range = document.createRange();
    range.setStart(block, 0);
    range.setEndBefore(marker);
    const before = range.toString();
    const row = block.closest("tr");
    if (row && !SAYS_SOMETHING.test(before)) { // a cell with nothing but its sources: they are those of the row
      range.setStart(row, 0);
      return range;
    }
    let start = 0;
    const sentences = globalThis.Intl?.Segmenter && new Intl.Segmenter(document.documentElement.lang || "en", { granularity: "sentence" });
    if (sentences) for (const { index, segment } of sentences.segment(before)) if (SAYS_SOMETHING.test(segment)) start = index;
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node && start >= 0; node = texts.nextNode()) {
      if (start < node.length) range.setStart(node, start);
      start -= node.length;
      if (start < 0) break;
    }
    return range;
  };
  // Marks the sentence of the pinned evidence, and names it above the evidence
  const markSentence = () => {
    globalThis.CSS?.highlights?.delete(SENTENCE);
    if (!pinned) return;
    const range = sentenceOf(pinned);
    const part = range.cloneContents();
    for (const end of part.querySelectorAll("br")) end.replaceWith(" "); // the lines of a cell are not one word
    for (const cell of part.querySelectorAll("td, th")) cell.append(" "); // nor are two cells
    const text = part.textContent.replace(CITED_BEFORE, "").replace(/\s+/g, " ").trim();
    const name = bar.querySelector("a");
    Object.assign(name, { href: `#${pinned.id}`, textContent: `for “${text}”`, title: "Back to the sentence" });
    if (globalThis.Highlight && CSS.highlights) CSS.highlights.set(SENTENCE, new Highlight(range));
  };

  // The right edge of what a block shows: prose ends where its lines do
  const BOXED = ".highlight, .admonition, details:not(.pb-head), table, svg, img";
  const edgeOf = (block) => {
    const shown = block.matches(BOXED) ? block : block.querySelector(":scope > .md-typeset__table > table, :scope > svg");
    if (shown || !block.matches("p, h1, h2, h3, h4, .pb-head")) return (shown ?? block).getBoundingClientRect().right;
    const range = document.createRange();
    range.selectNodeContents(block);
    return range.getBoundingClientRect().right;
  };
  // The room between the side and the blocks beside a part of it, of which the widest counts
  const roomBeside = (side, top, bottom) => {
    let edge = 0;
    for (const block of document.querySelectorAll("article > *")) {
      const place = block.getBoundingClientRect();
      if (place.top < bottom && place.bottom > top && getComputedStyle(block).float === "none") edge = Math.max(edge, edgeOf(block));
    }
    return Math.round(side.right - edge - 2 * GAP);
  };
  // While one reads, the margin has the width of its column. What the reader asked for is widened into the room that is free
  // where it stands: the wider it is, the lower and so the freer.
  const makeRoom = (side, first, last, wanted) => {
    element.classList.toggle("pb-has-code", element.querySelector("blockquote > .pb-code") !== null);
    const yOf = () => Math.max(first, Math.min(wanted, last - element.offsetHeight));
    element.style.setProperty("--pb-room", pinned ? "100vw" : "0px");
    for (let tries = 0; pinned && tries < 3; tries += 1) {
      const room = roomBeside(side, yOf(), yOf() + element.offsetHeight);
      if (room >= element.offsetWidth) break;
      element.style.setProperty("--pb-room", `${room}px`);
    }
    return yOf();
  };

  // Puts the margin at the height of its citation. The contents of the page keep what is left above it, or the least part.
  const placeBeside = (link) => {
    const side = element.parentElement.getBoundingClientRect();
    const contents = contentsBox();
    const top = contents.getBoundingClientRect().top;
    const whole = contents.querySelector(".md-nav").offsetHeight;
    const least = pinned ? LEAST_IF_PINNED : LEAST_CONTENTS;
    const first = top + Math.min(whole, innerHeight * least) + GAP;
    const last = innerHeight - 56; // above the button that leads to the top
    element.style.maxHeight = `${last - first}px`;
    const y = makeRoom(side, first, last, link.getBoundingClientRect().top - 8);
    element.style.transform = `translateY(${Math.round(y - side.top)}px)`;
    const room = y - GAP - top;
    contents.style.maxHeight = `${room}px`;
    contents.classList.toggle("pb-cut", whole > room);
    const scrolls = element.scrollHeight > element.clientHeight + 1;
    if (scrolls) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  };
  const freeContents = () => {
    const contents = contentsBox();
    contents?.style.removeProperty("max-height");
    contents?.classList.remove("pb-cut");
  };

  const show = (link) => {
    isDue = false;
    if (!isBesideText()) freeContents();
    const isHeld = isUsed() && (pinned ?? shown) === shown;
    if (!isBesideText() || isHeld) return;
    const next = pinned ?? link ?? chooseCitation();
    if (next !== shown || !next) {
      shown?.classList.remove("pb-read");
      shown = next;
      const parts = shown && evidence(shown, true);
      element.hidden = !parts;
      if (!parts) {
        freeContents();
        return;
      }
      shown.classList.add("pb-read");
      element.replaceChildren(bar, ...parts);
      reach(element, false);
    }
    placeBeside(shown);
  };
  // Keeps the evidence of a citation in the margin, whatever is read; without one, lets go of it. Returns false where it has none.
  const pin = (link) => {
    if (link && (!isBesideText() || !evidence(link))) return false;
    pinned?.removeAttribute("aria-expanded");
    pinned?.classList.remove("pb-pinned");
    pinned = link;
    pinned?.setAttribute("aria-expanded", "true");
    pinned?.classList.add("pb-pinned");
    bar.hidden = !pinned;
    element.classList.toggle("pb-stays", !bar.hidden);
    markSentence();
    show();
    return true;
  };
  element.addEventListener("toggle", () => shown && placeBeside(shown), true); // a paragraph was opened or closed
  bar.querySelector("button").addEventListener("click", () => {
    pinned?.focus({ preventScroll: true });
    pin(null);
  });

  const showSoon = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => show());
  };

  // A sentence ends in its citations: the one under the pointer belongs to the first citation behind it
  const point = (event) => {
    const block = event.target.closest?.("article :is(p, li, td, th, dd, blockquote)");
    const own = block ? citations.filter((link) => block.contains(link)) : [];
    const isBehind = (link) => {
      const place = link.getBoundingClientRect();
      return place.bottom > event.clientY && (place.top > event.clientY || place.right > event.clientX);
    };
    pointed = own.find(isBehind) ?? own.at(-1) ?? null;
    showSoon();
  };

  // Adds the margin to a page that has citations, and contents beside its text
  const addToPage = () => {
    pin(null);
    element.remove();
    citations = [...document.querySelectorAll(`article ${CITATION}`)].filter((link) => !link.closest(".pb-references"));
    [shown, pointed] = [null, null];
    const side = document.querySelector(".md-sidebar--secondary:not([hidden])");
    if (!citations.length || !side?.querySelector(".md-nav")) return;
    side.append(element);
    showSoon();
  };

  const start = () => {
    addToPage();
    globalThis.document$?.subscribe(addToPage); // of Material: another page was loaded in place
    for (const event of ["scroll", "resize", "focusin"]) addEventListener(event, showSoon, { passive: true });
    const follow = (event) => isBesideText() && event.pointerType !== "touch" && point(event);
    addEventListener("pointermove", follow, { passive: true });
  };
  return { element, isWide, isBesideText, show, pin, start, citation: () => shown, pinned: () => pinned };
})();
