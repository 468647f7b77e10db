// Shows the evidence of a citation beside it: what the References section says about the work and the quote. Without
// scripts, the citation is a link to that place.

(() => {
  if (!("popover" in HTMLElement.prototype)) return;
  const box = document.createElement("div");
  Object.assign(box, { id: "pb-evidence", className: "pb-evidence", popover: "auto" });
  box.setAttribute("role", "note");
  box.setAttribute("aria-label", "Evidence");
  box.addEventListener("toggle", () => isOpen() || cited?.removeAttribute("aria-describedby"));
  let cited, waiting;
  const isOpen = () => box.matches(":popover-open");
  const close = () => isOpen() && box.hidePopover();
  const line = (...parts) => {
    const made = document.createElement("p");
    for (const part of parts) if (part) made.append(" ", part.cloneNode?.(true) ?? part);
    return made.childNodes.length ? made : "";
  };

  const evidence = (link) => {
    const id = link.hash.slice(1);
    const place = document.getElementById(id) ?? document.getElementById(decodeURIComponent(id));
    const work = place?.closest(".pb-references > li");
    if (!work) return null;
    const own = work.querySelector(":scope > .pb-check");
    const shared = work.firstElementChild.matches("a[href^=http]") && work.parentElement.previousElementSibling;
    const reference = document.createElement("a");
    reference.href = `#${work.id}`;
    reference.textContent = `Reference ${[...work.parentElement.children].indexOf(work) + 1}`;
    const quote = place === work ? "" : place.cloneNode(true);
    if (quote) quote.removeAttribute("id");
    return [
      line(work.firstElementChild, work.querySelector(":scope > span:not([class])")),
      line(work.querySelector(`:scope > div [href$="#${CSS.escape(link.id)}"] + small`)),
      quote,
      line(own ?? shared?.querySelector?.(".pb-check"), reference),
    ];
  };

  const open = (link) => {
    clearTimeout(waiting);
    if (!link.isConnected || (link === cited && isOpen())) return;
    const parts = evidence(link);
    if (!parts) return;
    close();
    cited = link;
    box.replaceChildren(...parts);
    link.after(box); // Tab leads from the citation into the box
    link.setAttribute("aria-describedby", box.id);
    box.showPopover();
    const at = link.getBoundingClientRect();
    const isBelow = at.bottom + box.offsetHeight < innerHeight || at.top < box.offsetHeight;
    box.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - box.offsetWidth - 8)) + scrollX}px`;
    box.style.top = `${(isBelow ? at.bottom : at.top - box.offsetHeight) + scrollY}px`;
  };

  const citation = (event) => event.target.closest?.('a[id^="c."]');
  const later = (wait, act) => {
    clearTimeout(waiting);
    waiting = setTimeout(act, wait);
  };
  const leave = () => later(300, () => document.querySelector(".pb-evidence:is(:hover, :focus-within), [id^=\"c.\"][aria-describedby]:is(:hover, :focus-visible)") || close());
  addEventListener("pointerover", (event) => {
    const link = event.pointerType !== "touch" && citation(event);
    if (link) later(100, () => open(link));
    else if (isOpen() && !box.contains(event.target)) leave();
  });
  addEventListener("focusin", (event) => citation(event)?.matches(":focus-visible") && open(citation(event)));
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
})();
