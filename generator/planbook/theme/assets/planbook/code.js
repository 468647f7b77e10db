// Breaks lines of code that are wider than their block: behind a space or a sign, with a mark, and as far in as the line. The
// breaks are no text, so whatever is copied has none. A phone scrolls instead: few lines would be left whole.

(() => {
  const SIGNS = "_=./:,;([{|&-";
  const LEAST = 0.6; // of the width that a piece fills, if it ends behind a space or sign
  const HANGING = 4; // columns of the mark, as in the style of `.pb-break`
  const isRoomy = matchMedia("(min-width: 45em)");

  const addRuler = (code) => {
    const ruler = Object.assign(document.createElement("span"), { textContent: "0".repeat(100) });
    code.append(ruler);
    return ruler;
  };
  const columnsOf = (code, ruler) => {
    const { paddingLeft, paddingRight } = getComputedStyle(code);
    const width = ruler.getBoundingClientRect().width / 100;
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

  const placesIn = (text, columns) => {
    const places = [];
    let start = 0;
    for (const line of text.split("\n")) {
      for (const { column, indent } of breaksOf(line, columns)) places.push({ offset: start + column, indent });
      start += line.length + 1;
    }
    return places;
  };
  const removeBreaks = (code) => {
    const marks = code.querySelectorAll(".pb-break");
    for (const mark of marks) mark.remove();
    if (marks.length) code.normalize();
  };

  const isTooWide = (code) => code.scrollWidth > code.clientWidth + 1 && !code.closest("table");
  // Each step is done for all blocks: to measure one after another was changed lays the whole page out anew
  const fitIn = (place) => {
    const blocks = [...place.querySelectorAll(".highlight > pre > code")];
    blocks.forEach(removeBreaks);
    if (!isRoomy.matches) return;
    const wide = blocks.filter(isTooWide);
    const rulers = wide.map(addRuler);
    const columns = wide.map((code, n) => columnsOf(code, rulers[n]));
    for (const ruler of rulers) ruler.remove();
    wide.forEach((code, n) => insertBreaks(code, placesIn(code.textContent, columns[n])));
  };
  const fitAll = () => document.querySelectorAll("article").forEach(fitIn);
  // Material's tells of this page, too, and of each that is loaded in place
  if (globalThis.document$) document$.subscribe(fitAll);
  else fitAll();
  let width = innerWidth;
  addEventListener("resize", () => innerWidth !== width && ((width = innerWidth), fitAll()));
  addEventListener("toggle", ({ target }) => target.matches("details[open]") && fitIn(target), true); // what was folded had no width
  addEventListener("change", ({ target }) => target.matches(".tabbed-set > input") && fitIn(target.parentElement));
})();
