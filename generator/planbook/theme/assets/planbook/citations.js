// Shows the evidence of a citation beside it: what the References section says about the work and the quote; and of a
// link to another page, what that page or section is about. Without scripts, both are links to these places. Also copies
// the page as Markdown.

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
  const evidence = (link) => {
    const links = new Set([link, ...(link.closest(".pb-cites")?.querySelectorAll('a[id^="c."]') ?? [])]);
    const parts = [...links].flatMap(ofWork);
    return parts.length ? parts : null;
  };
  const ofWork = (link) => {
    const places = [link.hash.slice(1), ...(link.dataset.also?.split(" ") ?? [])].map(find).filter(Boolean);
    const work = places[0]?.closest(".pb-references > li");
    if (!work) return [];
    const own = work.querySelector(":scope > .pb-check");
    const shared = work.firstElementChild.matches("a[href^=http]") && work.parentElement.previousElementSibling;
    const reference = document.createElement("a");
    reference.href = `#${work.id}`;
    reference.textContent = `Reference ${[...work.parentElement.children].indexOf(work) + 1}`;
    const quotes = places.filter((place) => place !== work).map((place) => place.cloneNode(true));
    for (const quote of quotes) quote.removeAttribute("id");
    const claim = document.createElement("a"); // Material's scripts copy the text of its attribute
    Object.assign(claim, { href: `#${link.id}`, textContent: "copy link" }).dataset.clipboardText = claim.href;
    return [
      line(work.firstElementChild, work.querySelector(":scope > span:not([class])")),
      line(work.querySelector(`:scope > div [href$="#${CSS.escape(link.id)}"] + small`)),
      ...quotes,
      line(own ?? shared?.querySelector?.(".pb-check"), reference, " · ", claim),
    ];
  };

  const pages = new Map();
  const preview = async (link) => {
    const address = link.href.split("#")[0];
    if (!pages.has(address)) pages.set(address, fetch(address).then(async (answer) => (answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null)));
    const page = await pages.get(address);
    const heading = link.hash && page?.getElementById(decodeURIComponent(link.hash.slice(1)))?.closest("h2, h3, h4, h5, h6");
    const [title, whole] = [document.createElement("strong"), page?.querySelector("article h1")?.firstChild?.textContent];
    title.textContent = heading ? heading.firstChild.textContent : whole;
    let text = heading ? heading.nextElementSibling : null;
    while (text && !text.matches("p, h1, h2, h3, h4, h5, h6")) text = text.nextElementSibling;
    const about = heading ? text?.matches("p") && text.textContent : page?.querySelector("meta[name=description]")?.content;
    return whole ? [line(title, heading && ` · ${whole}`), about ? line(about) : ""] : null;
  };

  // Tab leads from one citation on to what follows it. Enter leads into the box, and Escape back.
  const reach = (isInside) => {
    for (const stop of box.querySelectorAll("a, summary")) stop.tabIndex = isInside ? 0 : -1;
  };
  const enter = async (link) => {
    await open(link);
    if (link !== cited || !isOpen()) return;
    reach(true);
    box.querySelector("a, summary")?.focus();
  };

  const open = async (link) => {
    clearTimeout(waiting);
    if (!link.isConnected || (link === cited && isOpen())) return;
    wanted = link;
    const isCitation = link.matches('[id^="c."]');
    const parts = isCitation ? evidence(link) : await preview(link).catch(() => null);
    if (!parts || wanted !== link) return;
    close();
    box.setAttribute("aria-label", isCitation ? "Evidence" : "Preview");
    cited = link;
    box.replaceChildren(...parts);
    link.after(box);
    reach(false);
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
  addEventListener(
    "keydown",
    (event) => {
      const link = event.key === "Enter" && citation(event);
      const isBack = event.key === "Escape" && box.contains(document.activeElement);
      if (link) enter(link);
      else if (isBack) close();
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
