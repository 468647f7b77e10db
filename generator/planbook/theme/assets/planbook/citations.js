// Shows the evidence of a citation: in a wide window in the margin, without a click; in others, in a box at the citation.
// A click or Enter keeps it there until the next one, or Escape. A box also shows what a link to another page is about.
// Without scripts, both are links to these places.

(() => {
  if (!("popover" in HTMLElement.prototype)) return;
  const { CITATION, evidence, margin, preview, reach } = planbook;

  // --- the box ---
  const box = document.createElement("div");
  Object.assign(box, { id: "pb-evidence", className: "pb-evidence", popover: "auto" });
  box.setAttribute("role", "note");
  box.setAttribute("aria-label", "Evidence");
  let opened = null; // the link that the box was opened for last
  let wanted = null; // the link whose box is to open, once its parts are there
  let isKept = false; // the box, which a click opened
  let isReturning = false; // the focus, from the box to its citation, where it opens nothing
  const CLOSE = '<button class="pb-close" type="button" popovertarget="pb-evidence" popovertargetaction="hide">Close</button>';
  const isOpen = () => box.matches(":popover-open");
  box.addEventListener("toggle", () => isOpen() || opened?.removeAttribute("aria-describedby"));

  const close = () => {
    isKept = false;
    isReturning = true;
    if (isOpen()) box.hidePopover();
    isReturning = false;
  };
  const placeAt = (link) => {
    const place = link.getBoundingClientRect();
    const isBelow = place.bottom + box.offsetHeight < innerHeight || place.top < box.offsetHeight;
    const right = margin.pinned() ? margin.element.getBoundingClientRect().left : document.documentElement.clientWidth;
    const mostLeft = right - box.offsetWidth - 8;
    box.style.left = `${Math.max(8, Math.min(place.left, mostLeft)) + scrollX}px`;
    box.style.top = `${(isBelow ? place.bottom : place.top - box.offsetHeight) + scrollY}px`;
  };
  // On a phone, the box is at the bottom of the window: its citation moves above it
  const showAbove = (link) => {
    const hidden = link.getBoundingClientRect().bottom + 16 - box.getBoundingClientRect().top;
    const isSheet = getComputedStyle(box).position === "fixed";
    if (isSheet && hidden > 0) scrollBy({ top: hidden, behavior: "instant" });
  };
  const open = async (link) => {
    clearTimeout(timer);
    if (!link.isConnected || (link === opened && isOpen())) return;
    wanted = link;
    const isCitation = link.matches(CITATION);
    const isOfMargin = isCitation && [null, link].includes(margin.pinned()); // beside what is pinned, others open a box
    if (isOfMargin && margin.isBesideText()) {
      margin.show(link);
      return;
    }
    const parts = isCitation ? evidence(link) : await preview(link).catch(() => null);
    if (!parts || wanted !== link) return;
    close();
    box.setAttribute("aria-label", isCitation ? "Evidence" : "Preview");
    opened = link;
    box.innerHTML = CLOSE;
    box.append(...parts);
    link.after(box);
    reach(box, false);
    link.setAttribute("aria-describedby", box.id);
    box.showPopover();
    placeAt(link);
  };

  // Opens or closes the box in a moment, unless the pointer has gone on
  let timer;
  const later = (delay_ms, act) => {
    clearTimeout(timer);
    timer = setTimeout(act, delay_ms);
  };
  const IN_USE = ".pb-evidence:is(:hover, :focus-within), a[aria-describedby]:is(:hover, :focus-visible)";
  const closeSoon = () => later(300, () => isKept || document.querySelector(IN_USE) || close());

  // --- links ---
  const citationAt = (event) => event.target.closest?.(CITATION);
  const LINK = "article a[href]:not(.headerlink, .md-button, .md-icon, .pb-evidence a)";
  const linkToPageAt = (event) => {
    const link = event.target.closest?.(LINK);
    const isOther = link?.origin === location.origin && link.pathname !== location.pathname;
    return isOther && /(?:\/|\.html)$/.test(link.pathname) ? link : null;
  };

  // Tab leads from one citation on to what follows it. Enter leads into its evidence, and Escape back.
  const enter = async (link) => {
    const isBeside = margin.isBesideText();
    if (isBeside) margin.pin(link);
    else await open(link);
    const isThere = isBeside ? link === margin.pinned() : link === opened && isOpen();
    if (!isThere) return;
    const place = isBeside ? margin.element : box;
    reach(place, true);
    place.querySelector("a, summary")?.focus();
  };
  const onKey = (event) => {
    const link = event.key === "Enter" && citationAt(event);
    const isBack = event.key === "Escape" && box.contains(document.activeElement);
    const isLeaving = event.key === "Escape" && margin.pinned() && !event.target.closest("input, [popover]");
    if (link) {
      enter(link);
    } else if (isBack) {
      close();
    } else if (isLeaving) {
      if (margin.element.contains(document.activeElement)) margin.pinned().focus();
      reach(margin.element, false);
      margin.pin(null);
    } else {
      return;
    }
    event.preventDefault();
  };

  const onPointer = (event) => {
    const citation = citationAt(event);
    const link = event.pointerType !== "touch" && (citation ?? linkToPageAt(event));
    if (link) {
      later(citation ? 100 : 400, () => open(link));
    } else if (!isOpen()) {
      clearTimeout(timer);
      wanted = null;
    } else if (!box.contains(event.target)) {
      closeSoon();
    }
  };
  const onFocus = (event) => {
    const citation = citationAt(event);
    if (!isReturning && citation?.matches(":focus-visible")) open(citation);
  };
  const onFocusLost = (event) => {
    const isOutOfMargin = margin.element.contains(event.target) && !margin.element.contains(event.relatedTarget);
    if (isOutOfMargin) reach(margin.element, false);
    if (isOpen()) closeSoon();
  };
  // A click keeps the evidence, and the next one on the same citation lets go of it. The browser closes an open box before
  // the click arrives.
  let kept = null; // the citation whose box was kept as the pointer went down
  const onPointerDown = () => {
    kept = isKept && isOpen() ? opened : null;
  };
  const keep = async (link) => {
    if (margin.isBesideText()) {
      close();
      margin.pin(link === margin.pinned() ? null : link);
    } else if (link === kept) {
      close();
    } else {
      await open(link);
      isKept = isOpen() && link === opened;
      showAbove(link);
    }
  };
  const onClick = (event) => {
    const link = citationAt(event);
    const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    clearTimeout(timer);
    if (link && isPlain && evidence(link)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      keep(link);
    } else if (link || event.target.closest?.(".pb-evidence a")) {
      close();
    }
  };

  margin.start();
  margin.isWide.addEventListener("change", () => {
    close();
    margin.pin(null);
  });
  addEventListener("pointerover", onPointer);
  addEventListener("focusin", onFocus);
  addEventListener("focusout", onFocusLost);
  addEventListener("keydown", onKey, true);
  addEventListener("pointerdown", onPointerDown, true);
  addEventListener("click", onClick, true);
})();
