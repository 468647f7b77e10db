// Shows the evidence of a citation: what the References section says about the work and the quote. In a wide window that of
// the sentence that is read stands beside the text, without a click; in others, a box opens at the citation. A box also
// shows what a link to another page is about. Without scripts, both are links to these places. Also copies the page as
// Markdown.

(() => {
  if (!("popover" in HTMLElement.prototype)) return;
  const box = document.createElement("div");
  Object.assign(box, { id: "pb-evidence", className: "pb-evidence", popover: "auto" });
  box.setAttribute("role", "note");
  box.setAttribute("aria-label", "Evidence");
  box.addEventListener("toggle", () => isOpen() || cited?.removeAttribute("aria-describedby"));
  let cited, waiting, wanted;
  const isOpen = () => box.matches(":popover-open");
  let isReturning = false; // the focus, from the box to its citation, where it opens nothing
  const close = () => {
    isReturning = true;
    if (isOpen()) box.hidePopover();
    isReturning = false;
  };
  const line = (...parts) => {
    const made = document.createElement("p");
    for (const part of parts) if (part) made.append(" ", part.cloneNode?.(true) ?? part);
    return made.childNodes.length ? made : "";
  };

  const find = (id) => document.getElementById(id) ?? document.getElementById(decodeURIComponent(id));
  // A marker with several works opens the evidence of all, that of the link itself first
  const evidence = (link, isBeside = false) => {
    const links = new Set([link, ...(link.closest(".pb-cites")?.querySelectorAll('a[id^="c."]') ?? [])]);
    const parts = [...links].flatMap((each) => ofWork(each, isBeside));
    return parts.length ? parts : null;
  };
  // The parts of a work, which `views/templates/references.html` marks with attributes
  const partOf = (work, name) => work.querySelector(`[data-pb="${name}"]`);
  const locatorOf = (work, citation) => work.querySelector(`[data-of="${CSS.escape(citation)}"]`);
  const stateOf = (work) => {
    const isOnline = partOf(work, "title").matches("a[href^=http]"); // the common state is that of sources on the web
    return partOf(work, "state") ?? (isOnline && document.querySelector('.pb-common > [data-pb="common"]'));
  };
  const linkTo = (id, text) => Object.assign(document.createElement("a"), { href: `#${id}`, textContent: text });
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
    const state = line(stateOf(work), linkTo(work.id, `Reference ${number}`), " · ", claim);
    return isBeside ? [...quotes, title, locator, state] : [title, locator, ...quotes, state];
  };

  // What a link to another page is about: its title and description, or the heading that it leads to
  const pages = new Map();
  const readPage = async (address) => {
    const answer = await fetch(address);
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  };
  const headings = "h1, h2, h3, h4, h5, h6";
  const firstParagraph = (heading) => {
    let next = heading.nextElementSibling;
    while (next && !next.matches(`p, ${headings}`)) next = next.nextElementSibling;
    return next?.matches("p") ? next.textContent : "";
  };
  const preview = async (link) => {
    const address = link.href.split("#")[0];
    if (!pages.has(address)) pages.set(address, readPage(address));
    const page = await pages.get(address);
    const whole = page?.querySelector("article h1")?.firstChild?.textContent;
    if (!whole) return null;
    const place = link.hash && page.getElementById(decodeURIComponent(link.hash.slice(1)));
    const heading = place && place.closest("h2, h3, h4, h5, h6");
    const title = document.createElement("strong");
    title.textContent = heading ? heading.firstChild.textContent : whole;
    const about = heading ? firstParagraph(heading) : page.querySelector("meta[name=description]")?.content;
    return [line(title, heading && ` · ${whole}`), about ? line(about) : ""];
  };

  // Tab leads from one citation on to what follows it. Enter leads into the box, and Escape back.
  const reach = (place, isInside) => {
    for (const stop of place.querySelectorAll("a, summary")) stop.tabIndex = isInside ? 0 : -1;
  };
  const enter = async (link) => {
    await open(link);
    const place = isBesideText() ? margin : box;
    if (link !== (isBesideText() ? read : cited) || (place === box && !isOpen())) return;
    reach(place, true);
    place.querySelector("a, summary")?.focus();
  };

  // Beside the text: the evidence of the sentence under the pointer, of the citation with the focus, or else of the one
  // nearest to where one reads.
  const isWide = matchMedia("(min-width: 80em)");
  const margin = document.createElement("aside");
  Object.assign(margin, { className: "pb-margin", hidden: true });
  margin.setAttribute("aria-label", "Evidence of the sentence that is read");
  const READING_LINE = 0.4; // of the height of the window
  let citations = [], read, pointed, isDue = false;
  const isBesideText = () => isWide.matches && margin.isConnected;
  const isUsed = () => margin.matches(":focus-within, :hover");
  const top = () => document.querySelector(".md-header")?.getBoundingClientRect().bottom ?? 0;

  const sentence = () => {
    const seen = new Map();
    for (const link of citations) {
      const at = link.getBoundingClientRect();
      if (at.height && at.top >= top() && at.bottom <= innerHeight) seen.set(link, at.top);
    }
    const chosen = [document.activeElement, pointed].find((link) => seen.has(link));
    const distance = (link) => Math.abs(seen.get(link) - innerHeight * READING_LINE);
    return chosen ?? [...seen.keys()].reduce((best, link) => (best && distance(best) <= distance(link) ? best : link), null);
  };
  const show = (link) => {
    isDue = false;
    if (!isBesideText() || isUsed()) return;
    const next = link ?? sentence();
    if (next !== read || !next) {
      read?.classList.remove("pb-read");
      read = next;
      const parts = read && evidence(read, true);
      margin.hidden = !parts;
      if (!parts) return;
      read.classList.add("pb-read");
      margin.replaceChildren(...parts);
      reach(margin, false);
    }
    const [side, contents] = [margin.parentElement, margin.parentElement.querySelector(".md-nav")].map((each) => each.getBoundingClientRect());
    const first = Math.min(contents.bottom, side.top + innerHeight * READING_LINE) + 12;
    const last = innerHeight - 56; // above the button that leads to the top
    margin.style.maxHeight = `${last - first}px`;
    const y = Math.max(first, Math.min(read.getBoundingClientRect().top - 8, last - margin.offsetHeight));
    margin.style.transform = `translateY(${Math.round(y - side.top)}px)`;
    margin.scrollHeight > margin.clientHeight + 1 ? (margin.tabIndex = 0) : margin.removeAttribute("tabindex"); // it scrolls
  };
  const showSoon = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => show());
  };
  const point = (event) => {
    const block = event.target.closest?.("article :is(p, li, td, th, dd, blockquote)");
    const own = block ? citations.filter((link) => block.contains(link)) : [];
    const isBehind = (link) => {
      const at = link.getBoundingClientRect();
      return at.bottom > event.clientY && (at.top > event.clientY || at.right > event.clientX);
    };
    pointed = own.find(isBehind) ?? own.at(-1) ?? null;
    showSoon();
  };
  const beside = () => {
    margin.remove();
    citations = [...document.querySelectorAll('article a[id^="c."]')].filter((link) => !link.closest(".pb-references"));
    [read, pointed] = [null, null];
    const side = document.querySelector(".md-sidebar--secondary:not([hidden])");
    if (!citations.length || !side?.querySelector(".md-nav")) return;
    side.append(margin);
    side.classList.add("pb-has-margin");
    showSoon();
  };
  beside();
  globalThis.document$?.subscribe(beside);
  for (const event of ["scroll", "resize", "focusin"]) addEventListener(event, showSoon, { passive: true });
  addEventListener("pointermove", (event) => isBesideText() && event.pointerType !== "touch" && point(event), { passive: true });
  isWide.addEventListener("change", () => close());

  const open = async (link) => {
    clearTimeout(waiting);
    if (!link.isConnected || (link === cited && isOpen())) return;
    wanted = link;
    const isCitation = link.matches('[id^="c."]');
    if (isCitation && isBesideText()) return show(link);
    const parts = isCitation ? evidence(link) : await preview(link).catch(() => null);
    if (!parts || wanted !== link) return;
    close();
    box.setAttribute("aria-label", isCitation ? "Evidence" : "Preview");
    cited = link;
    box.replaceChildren(...parts);
    link.after(box);
    reach(box, false);
    link.setAttribute("aria-describedby", box.id);
    box.showPopover();
    const at = link.getBoundingClientRect();
    const isBelow = at.bottom + box.offsetHeight < innerHeight || at.top < box.offsetHeight;
    box.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - box.offsetWidth - 8)) + scrollX}px`;
    box.style.top = `${(isBelow ? at.bottom : at.top - box.offsetHeight) + scrollY}px`;
  };

  const citation = (event) => event.target.closest?.('a[id^="c."]');
  const inner = (event) => {
    const link = event.target.closest?.("article a[href]:not(.headerlink, .md-button, .md-icon, .pb-evidence a)");
    const isOther = link?.origin === location.origin && link.pathname !== location.pathname;
    return isOther && /(?:\/|\.html)$/.test(link.pathname) ? link : null;
  };
  const later = (wait, act) => {
    clearTimeout(waiting);
    waiting = setTimeout(act, wait);
  };
  const leave = () => later(300, () => document.querySelector(".pb-evidence:is(:hover, :focus-within), a[aria-describedby]:is(:hover, :focus-visible)") || close());
  addEventListener("pointerover", (event) => {
    const link = event.pointerType !== "touch" && (citation(event) ?? inner(event));
    if (link) later(citation(event) ? 100 : 400, () => open(link));
    else if (!isOpen()) clearTimeout(waiting), (wanted = null);
    else if (isOpen() && !box.contains(event.target)) leave();
  });
  addEventListener("focusin", (event) => !isReturning && citation(event)?.matches(":focus-visible") && open(citation(event)));
  addEventListener("focusout", (event) => margin.contains(event.target) && !margin.contains(event.relatedTarget) && reach(margin, false));
  addEventListener(
    "keydown",
    (event) => {
      const link = event.key === "Enter" && citation(event);
      const isBack = event.key === "Escape" && box.contains(document.activeElement);
      const isBackFromMargin = event.key === "Escape" && margin.contains(document.activeElement);
      if (link) enter(link);
      else if (isBack) close();
      else if (isBackFromMargin) reach(margin, false), read?.focus();
      else return;
      event.preventDefault();
    },
    true,
  );
  addEventListener("focusout", () => isOpen() && leave());
  addEventListener(
    "click",
    (event) => {
      const link = citation(event);
      clearTimeout(waiting);
      if (link && event.pointerType === "touch") {
        event.preventDefault();
        event.stopImmediatePropagation();
        open(link);
      } else if (link || event.target.closest?.(".pb-evidence a")) close();
    },
    true,
  );

  // A button that copies the page's Markdown twin, beside the one to edit the page
  const offer = () => {
    const twin = document.querySelector("head template")?.content.querySelector('[type="text/markdown"]')?.getAttribute("href");
    const article = document.querySelector("article");
    if (!twin || location.protocol === "file:" || !navigator.clipboard || !article || article.querySelector(".pb-copy")) return;
    const place = [...article.querySelectorAll(":scope > .md-content__button")].at(-1);
    const [target, position] = place ? [place, "afterend"] : [article, "afterbegin"];
    target.insertAdjacentHTML(position, '<button class="md-content__button md-icon pb-copy" title="Copy page as Markdown"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M19 21H8V7h11m0-2H8a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h11a2 2 0 0 0 2-2V7a2 2 0 0 0-2-2m-3-4H4a2 2 0 0 0-2 2v14h2V3h12z"/></svg></button>');
    article.querySelector(".pb-copy").addEventListener("click", async () => {
      const text = await (await fetch(new URL(twin, location))).text();
      await navigator.clipboard.writeText(text);
      globalThis.alert$?.next("Copied to clipboard");
    });
  };
  offer();
  globalThis.document$?.subscribe(offer);
})();
