// What a link to another page is about: its title and description, or the heading that it leads to.

planbook.preview = (() => {
  const { line } = planbook;
  const HEADINGS = "h1, h2, h3, h4, h5, h6";
  const pages = new Map(); // by address, each asked for once
  const readPage = async (address) => {
    const answer = await fetch(address);
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  };
  const firstParagraph = (heading) => {
    let next = heading.nextElementSibling;
    while (next && !next.matches(`p, ${HEADINGS}`)) next = next.nextElementSibling;
    return next?.matches("p") ? next.textContent : "";
  };

  return async (link) => {
    const address = link.href.split("#")[0];
    if (!pages.has(address)) pages.set(address, readPage(address));
    const page = await pages.get(address);
    const titleOfPage = page?.querySelector("article h1")?.firstChild?.textContent;
    if (!titleOfPage) return null;
    const place = link.hash && page.getElementById(decodeURIComponent(link.hash.slice(1)));
    const heading = place && place.closest("h2, h3, h4, h5, h6");
    const title = document.createElement("strong");
    title.textContent = heading ? heading.firstChild.textContent : titleOfPage;
    const about = heading ? firstParagraph(heading) : page.querySelector("meta[name=description]")?.content;
    return [line(title, heading && ` · ${titleOfPage}`), about ? line(about) : ""];
  };
})();
