// Breaks lines of code that are wider than their block: behind a space or a sign, with a mark, and as far in as the line. The
// breaks are no text, so whatever is copied has none. A phone scrolls instead: few lines would be left whole.

(() => {
  const SIGNS = "_=./:,;([{|&-";
  const LEAST = 0.6; // of the width that a piece fills, if it ends behind a space or sign
  const HANGING = 4; // columns of the mark, as in the style of `.pb-break`
  const isRoomy = matchMedia("(min-width: 45em)");

  const columnsOf = (code) => {
    const { paddingLeft, paddingRight } = getComputedStyle(code);
    const ruler = Object.assign(document.createElement("span"), { textContent: "0".repeat(100) });
    code.append(ruler);
    const width = ruler.getBoundingClientRect().width / 100;
    ruler.remove();
    return Math.floor((code.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)) / width);
  };
  // Returns the column behind which a line is broken that begins at `start` and may go on to `end`
  const breakIn = (line, start, end) => {
    const least = start + (end - start) * LEAST;
    const atSpace = line.lastIndexOf(" ", end - 1) + 1;
    if (atSpace > least) return atSpace;
    let at = end;
    while (at > least && !SIGNS.includes(line[at - 1])) at -= 1;
    return at > least ? at : end;
  };
  const breaksOf = (line, width) => {
    const columns = Math.max(width - 7 * (line.split("\t").length - 1), width / 2); // a tab takes up to 8
    const indent = Math.min(line.search(/[^ ]|$/), columns / 2);
    const breaks = [];
    for (let [start, room] = [0, columns]; line.length - start > room; room = columns - indent - HANGING)
      breaks.push((start = breakIn(line, start, start + room)));
    return breaks.map((column) => ({ column, indent }));
  };
  // Inserts breaks at places of the code's text, the last one first
  const insertBreaks = (code, places) => {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    const texts = [];
    for (let offset = 0; walker.nextNode(); offset += walker.currentNode.length) texts.push([offset, walker.currentNode]);
    for (const { offset, indent } of places.reverse()) {
      const [start, text] = texts.findLast(([start]) => start < offset);
      const mark = Object.assign(document.createElement("span"), { className: "pb-break" });
      mark.style.setProperty("--pb-indent", `${indent}ch`);
      text.splitText(offset - start).before(mark);
    }
  };

  const isWider = (box) => box.scrollWidth > box.clientWidth + 1;
  const fit = (code) => {
    for (const mark of code.querySelectorAll(".pb-break")) mark.remove();
    code.normalize();
    if (!isRoomy.matches || code.closest("table") || !isWider(code)) return;
    const columns = columnsOf(code);
    const places = [];
    let start = 0;
    for (const line of code.textContent.split("\n")) {
      for (const { column, indent } of breaksOf(line, columns)) places.push({ offset: start + column, indent });
      start += line.length + 1;
    }
    insertBreaks(code, places);
  };
  const fitIn = (place) => place.querySelectorAll(".highlight > pre > code").forEach(fit);
  const fitAll = () => document.querySelectorAll("article").forEach(fitIn);
  fitAll();
  globalThis.document$?.subscribe(fitAll); // of Material: another page was loaded in place
  let width = innerWidth;
  addEventListener("resize", () => innerWidth !== width && ((width = innerWidth), fitAll()));
  addEventListener("toggle", ({ target }) => target.matches("details[open]") && fitIn(target), true); // what was folded had no width
  addEventListener("change", ({ target }) => target.matches(".tabbed-set > input") && fitIn(target.parentElement));
})();
