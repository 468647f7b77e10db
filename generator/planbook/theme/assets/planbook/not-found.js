// On the page for unknown addresses: fills in the search, and names the pages with the nearest addresses in the sitemap.

(async () => {
  const place = document.getElementById("pb-nearest");
  const root = new URL(place.dataset.sitemap, location.href).href.replace(/[^/]*$/, "");
  const path = (address) => decodeURIComponent(address).replace(/(index)?(\.html?|\.md)?$/, "").replace(/\/$/, "").toLowerCase();
  const wanted = path(location.href.split(/[?#]/)[0].slice(root.length));
  document.getElementById("pb-find").value = wanted.split("/").pop().replace(/[^\p{L}\p{N}.]+/gu, " ").trim();

  const pairs = (text) => new Set([...`/${text}/`].map((_, n) => `/${text}/`.slice(n, n + 2)).filter((pair) => pair[1]));
  const ours = pairs(wanted);
  const alike = (text) => {
    const theirs = pairs(text);
    return (2 * [...theirs].filter((pair) => ours.has(pair)).length) / (theirs.size + ours.size);
  };
  const listed = async (address) => {
    const answer = await fetch(address).catch(() => null);
    const list = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/xml");
    return list ? [...list.getElementsByTagName("loc")].map((page) => page.textContent) : [];
  };
  let every = await listed(place.dataset.sitemap);
  if (every.length === 1 && every[0].endsWith("/sitemap-pages.xml")) every = await listed(`${root}sitemap-pages.xml`);
  if (!every.length) return;
  const base = every.reduce((shortest, address) => (address.length < shortest.length ? address : shortest), every[0]);
  const addresses = every.map((address) => address.slice(base.length)).filter(Boolean);
  const near = addresses.map((address) => [alike(path(address)), address]).filter(([score]) => score > 0.4);
  near.sort(([a], [b]) => b - a);
  if (!near.length) return;
  place.append("Pages with a similar address:");
  const list = document.createElement("ul");
  for (const [, address] of near.slice(0, 3)) {
    const link = document.createElement("a");
    link.href = root + address;
    link.textContent = address;
    list.appendChild(document.createElement("li")).append(link);
  }
  place.after(list);
})();
