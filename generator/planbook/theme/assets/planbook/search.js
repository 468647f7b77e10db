/* Readers' search: answers Material's search interface from the files that generator/planbook/views/search.py describes.
   `search-worker.js` loads it; pages opened from a folder run it in a frame, where `importScripts` returns a promise. */

"use strict";

(() => {
  const WORD = /[\p{L}\p{N}]+(?:[._-]+[\p{L}\p{N}]+)*/gu;
  const JOINT = /[._-]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
  const STOP_WORDS = new Set("a an and are as at be by for from in is it of on or that the this to was with".split(" "));
  const ENDING = /(?:ing|ings|ed|er|ers|es|s|e|ion|ions)$/;
  const ASKING = new Set("can do does how i if me must my see should there they use using we what when where which who why you your".split(" "));
  const GERMAN = "an auf aus bei beim das dem den der des die ein eine einem einen einer er es finde fur gibt hat ich im in ist kann kein keine man mein meine mit nach nicht oder sind sich und vom von wann warum was welche welcher welches wenn werden wie wird wo zu zum zur";
  const ASKING_IN_GERMAN = new Set(GERMAN.split(" ")), ONLY_GERMAN = new Set("beim der eine finde fur hat ich ist mit nicht und welche welcher welches wenn wie wird zu zum zur".split(" ")); // without accents
  const DEFINITION = /(?<!\S)(?:what(?:'s| is| are| does)|define|definition|mean(?:s|ing)?|stands? for|explain)(?: of)?(?: an?| the)?(?=[\s?]|$)/gi;
  const IN_TITLE = 2.5, ALL_WORDS = 3, IN_ONE_PIECE = 0.6, PIECE_OF_TITLE = 1, PAGE = 0.4, TITLE_FITS = 3, DEFINED = 6, LONG = 0.4; // the weights of rate()
  const PAUSE_MS = 100; // after a key, before texts are loaded
  const SHOWN = 20, SECTIONS = 3; // pages, whose text is loaded; sections of each, without a click
  const EXACT = 1, LONGER = 0.45, INFLECTED = 0.5, MISTYPED = 0.4, IN_PARTS = 0.6; // what kinds of match are worth
  const ABOUT = 0.4, MANY = 4; // the least part of a query, by the rarity of its words, that a page about it has; or its words
  const NEAREST = 5; // pages that are shown if none is about a query
  const STARTS = ["reading/", "INDEX/", "messages/", "glossary/"]; // of a base, as far as it has them
  const FEW = 6, NAMED = 5, TELLING = 0.25; // words of a short query; letters, and the part of a query, of a word that it cannot do without
  const LEAD = 1.2, WEAK = 0.25; // how much better a page beside the subject is if it comes first; the part of the best score below which a page of the subject does not
  const TERM = 3, TERM_WORDS = 3; // what an entry of the glossary is worth that explains a query of at most so many words
  const INTRO = 1.3; // how much better a section is than the beginning of its page, which has all words, if it is opened
  const QUERY = 2, RESULT = 3;

  const isFrame = typeof document !== "undefined";
  const folder = new URL("../../search/", isFrame ? document.currentScript.src : location.href);

  // Files

  const [files, arrived] = [new Map(), new Map()];
  self.planbookSearch = (name, data) => arrived.set(name, data);

  const read = async (path, name, query) => {
    const url = `${folder}${path}.js${query}`;
    if (isFrame) return importScripts(url).then(() => arrived.get(name));
    const text = await (await fetch(url, query ? {} : { cache: "no-cache" })).text();
    return JSON.parse(text.slice(text.indexOf(",") + 1, -1));
  };
  const load = (path, name, query) => {
    if (!files.has(path)) files.set(path, read(path, name, query));
    return files.get(path);
  };
  const list = async () => {
    const found = await load("pages", "pages", "");
    found.known ??= new Set(found.shards);
    return found;
  };
  const part = async (path, name) => load(path, name, `?${(await list()).version}`);
  const fileName = (prefix) => prefix.replace(/[^a-z0-9]/gu, (char) => `~${char.codePointAt(0).toString(16)}`);

  /** Return the words of the files that hold words beginning with `start`, each with the pages it is on. */
  const wordsLike = async (start) => {
    const { known, shards } = await list();
    let names = [5, 4, 3, 2, 1].map((n) => start.slice(0, n)).filter((prefix, i, all) => known.has(prefix) && all.indexOf(prefix) === i);
    if (!names.some((name) => name === start || start.length > name.length)) names = [];
    if (start.length > 2) names = [...new Set([...names, ...shards.filter((name) => name.startsWith(start))])].slice(0, 12);
    return Promise.all(names.map((name) => part(`words/${fileName(name)}`, name)));
  };

  // Words

  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "");

  const isGerman = (query) => (fold(query).match(WORD) ?? []).some((word) => ONLY_GERMAN.has(word.toLowerCase()));

  /** Return the words of a query, each with its parts. */
  const clausesOf = (query) => {
    const found = [];
    for (const [typed] of query.matchAll(WORD)) {
      const folded = fold(typed);
      const whole = folded.toLowerCase();
      const parts = folded.split(JOINT).map((each) => each.toLowerCase()).filter((each) => each.length > 1 && !STOP_WORDS.has(each));
      if (whole.length > 1) found.push({ typed, whole, parts: parts.length > 1 ? parts : [] });
    }
    const isAsking = (word) => STOP_WORDS.has(word) || ASKING.has(word) || (isGerman(query) && ASKING_IN_GERMAN.has(word));
    const named = found.filter(({ whole }) => !isAsking(whole));
    return named.length ? named : found;
  };

  const digitsOf = (word) => word.replace(/\D+/g, "");
  /** Return true if one insertion, deletion, replacement or swap of neighbours makes `a` of `b`; another number is no slip. */
  const isNear = (a, b) => {
    if (Math.abs(a.length - b.length) > 1 || a === b || digitsOf(a) !== digitsOf(b)) return false;
    let start = 0;
    while (a[start] === b[start]) start++;
    const [restA, restB] = [a.slice(start), b.slice(start)];
    const isSwapped = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
    return isSwapped || restA.slice(1) === restB.slice(1) || restA === restB.slice(1) || restA.slice(1) === restB;
  };

  /** Return the indexed words that match one term: word -> { quality, on: pages with weights }. */
  const matches = async (term, isLast) => {
    const found = new Map();
    const add = (word, quality, on) => {
      if (!(found.get(word)?.quality >= quality)) found.set(word, { quality, on });
    };
    const groups = await wordsLike(term);
    const stem = term.length > 4 ? term.replace(ENDING, "") : term;
    let isInflected = false;
    for (const group of groups)
      for (const [word, on] of Object.entries(group))
        if (word === term) add(word, EXACT, on);
        else if (stem.length > 3 && word.startsWith(stem) && /^\w{0,4}$/.test(word.slice(stem.length)) && ENDING.test(`${word}e`) && word.replace(ENDING, "") === stem)
          add(word, INFLECTED, on), (isInflected = true);
        else if (term.length > 2 && word.startsWith(term)) add(word, LONGER * (isLast ? 1.3 : 1), on);
    if (found.has(term) || isInflected || term.length < 5) return found; // a short word is near to too many
    const nearby = () => [...new Set(groups.flatMap(Object.keys))].filter((word) => isNear(term, word));
    for (const word of nearby()) for (const group of groups) if (group[word]) add(word, MISTYPED, group[word]);
    if (found.size) return found;
    const { words } = await part("all", "all");
    for (const word of words.split(" ").filter((each) => isNear(term, each)).slice(0, 8))
      for (const group of await wordsLike(word)) if (group[word]) add(word, MISTYPED, group[word]);
    return found;
  };

  // Ranking

  const rarity = (matched, count) => {
    const best = Math.max(...[...matched.values()].map((match) => match.quality));
    const pages = Math.max(0, ...[...matched.values()].filter((match) => match.quality === best).map((match) => match.on.length));
    return Math.log(1 + count / (pages + 0.5));
  };

  /** Return what each page scores for one term. */
  const scores = (matched, weight) => {
    const found = new Map();
    for (const { quality, on } of matched.values())
      for (const each of on) {
        const page = Math.floor(each / 10);
        found.set(page, Math.max(found.get(page) ?? 0, (weight * quality * (each % 10)) / 3));
      }
    return found;
  };

  const resolve = async (clause, isLast, count) => {
    const whole = await matches(clause.whole, isLast);
    const parts = await Promise.all(clause.parts.map((each) => matches(each, isLast && each === clause.parts.at(-1))));
    const weight = rarity(whole, count);
    const pages = scores(whole, weight);
    if (parts.length) {
      const each = parts.map((matched) => scores(matched, rarity(matched, count)));
      for (const page of each[0].keys())
        if (each.every((one) => one.has(page))) {
          const sum = each.reduce((total, one) => total + one.get(page), 0);
          pages.set(page, Math.max(pages.get(page) ?? 0, sum * IN_PARTS));
        }
    }
    const forms = [...whole].sort(([, a], [, b]) => b.quality - a.quality).map(([word]) => word);
    const meant = whole.get(forms[0])?.quality === MISTYPED ? forms[0] : clause.typed;
    const isCertain = meant === clause.typed || clause.whole.length > 5;
    return { ...clause, meant, isCertain, weight, pages, matched: whole, forms, partForms: parts.map((each) => [...each.keys()]) };
  };

  const escapeRegExp = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const literal = (text) => text.split(/[\s_.-]+/).filter(Boolean).map(escapeRegExp).join("[\\s_.-]+");
  const anyOf = (forms) => {
    const each = forms.slice(0, 40).map(literal).sort((a, b) => b.length - a.length);
    return each.length ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${each.join("|")})`, "giu") : /(?!)/g;
  };
  /** Return the pattern of what is marked: whole words. A long word is marked as a part of a longer one, too. */
  const wholeWords = (forms) => {
    const each = forms.slice(0, 40).map((form) => literal(form) + (/^[\p{L}\p{N}]{4,}$/u.test(form) ? "[\\p{L}\\p{N}]*" : ""));
    each.sort((a, b) => b.length - a.length);
    return each.length ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${each.join("|")})(?![\\p{L}\\p{N}])`, "giu") : /(?!)/g;
  };
  const hits = (pattern, text) => Math.min(8, text.match(pattern)?.length ?? 0);
  const wordsOf = (text) => fold(text).toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

  /** Return the part of a query, by the rarity of its words, that stands in a text in one piece. */
  const inOnePiece = (words, text) => {
    const all = ` ${wordsOf(text).join(" ")} `;
    let [most, sum] = [0, 0];
    for (let i = 0, j = 0; j < words.length; ) {
      if (all.includes(` ${words.slice(i, j + 1).map(([word]) => word).join(" ")} `)) (sum += words[j++][1]), (most = Math.max(most, sum));
      else if (i === j) i = ++j;
      else sum -= words[i++][1];
    }
    return most;
  };

  /** Return the entry of a glossary that explains a term, up to the end of its first sentence; empty without one. */
  const definitionIn = (text, entry) => {
    const at = text.search(entry);
    if (at < 0) return "";
    const own = text.slice(at).replace(/^[.)]?\s*/, "");
    const end = own.search(/[.?!]\)?(?=\s)/);
    return end < 0 ? own.slice(0, 300) : own.slice(0, end + 1);
  };

  /** Return a page's score with its sections, now that its text is known. */
  const rate = (page, clauses, words, entry) => {
    const total = clauses.reduce((sum, clause) => sum + clause.weight, 0);
    const whole = words.reduce((sum, [, weight]) => sum + weight, 0);
    /** Return how well a title fits: the share of its words that are in the query, times that of the query in it. */
    const fit = (title) => {
      const own = wordsOf(title).filter((word) => !STOP_WORDS.has(word));
      const known = own.filter((word) => clauses.some(({ pattern, partPatterns }) => [pattern, ...partPatterns].some((each) => hits(each, word))));
      const held = clauses.reduce((sum, { weight, pattern }) => sum + (hits(pattern, title) ? weight : 0), 0);
      return (known.length / (own.length || 1)) * (held / total);
    };
    page.sections = page.text.map(([anchor, title, text]) => {
      let [score, covered] = [0, 0];
      const norm = 1 / (1 + LONG * Math.min(4, text.length / 2000));
      for (const { weight, pattern, partPatterns } of clauses) {
        const [inTitle, inText] = [title, text].map((each) => hits(pattern, each));
        let worth = (inTitle ? IN_TITLE : 0) + (inText ? (1 + Math.log2(inText) / 3) * norm : 0);
        if (!worth && partPatterns.length && partPatterns.every((each) => hits(each, title) || hits(each, text))) worth = IN_PARTS;
        score += weight * worth;
        covered += worth ? weight : 0;
      }
      score *= (covered / total) ** ALL_WORDS;
      const [ofTitle, ofText] = words.length > 1 ? [title, text].map((each) => inOnePiece(words, each) / whole) : [0, 0];
      score *= 1 + Math.max(PIECE_OF_TITLE * ofTitle ** 2, IN_ONE_PIECE * ofText ** 2);
      const definition = page.isGlossary ? definitionIn(text, entry) : "";
      if (definition) score *= (page.isAsked ? DEFINED : TERM) / page.boost;
      return { anchor, title, text, definition, score, isWhole: covered >= 0.99 * total };
    });
    const best = Math.max(...page.sections.map((section) => section.score));
    page.score = (PAGE * page.score + best) * (1 + TITLE_FITS * fit(page.title) ** 2) * page.boost;
  };

  /** Sort pages by their score, those on the subject of the base before those beside it, unless one of these is much better. */
  const arrange = (found) => {
    const best = (isBeside) => Math.max(0, ...found.filter((page) => page.isBeside === isBeside).map(({ score }) => score));
    const [ofSubject, beside] = [best(false), best(true)];
    const isFirst = ({ isBeside, score }) => (beside > LEAD * ofSubject ? false : !isBeside && score > WEAK * Math.max(ofSubject, beside));
    found.sort((a, b) => isFirst(b) - isFirst(a) || b.score - a.score);
    found.forEach((page, i) => i && (page.score = Math.min(page.score, found[i - 1].score))); // Material opens the highest score
  };

  // What is shown

  const escapeHTML = (text) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
  const mark = (text, pattern) => {
    let [done, html] = [0, ""];
    for (const match of text.matchAll(pattern)) {
      html += `${escapeHTML(text.slice(done, match.index))}<mark>${escapeHTML(match[0])}</mark>`;
      done = match.index + match[0].length;
    }
    return html + escapeHTML(text.slice(done));
  };
  const teaser = (text, pattern, clauses) => {
    let [at, most] = [0, 0];
    for (const { index } of [...text.matchAll(pattern)].slice(0, 20)) {
      const near = text.slice(index, index + 180);
      const worth = clauses.reduce((sum, { weight, pattern: own }) => sum + (hits(own, near) ? weight : 0), 0);
      if (worth > most) [at, most] = [index, worth];
    }
    const from = at < 90 ? 0 : text.lastIndexOf(" ", at - 60) + 1;
    const end = text.indexOf(" ", from + 240);
    const cut = text.slice(from, end < 0 ? undefined : end);
    return cut && `<p>${from ? "… " : ""}${mark(cut, pattern)}${end < 0 ? "" : " …"}</p>`;
  };

  const shown = (page, clauses, pattern) => {
    const terms = Object.fromEntries(clauses.map(({ meant, pages }) => [meant, pages.has(page.n)]));
    const text = (section) => (section.score ? teaser(section.definition || section.text, pattern, clauses) : "");
    const item = (location, section, score) => ({ location, score, terms, title: mark(section.title, pattern), text: text(section) });
    const [first, ...rest] = page.sections;
    const below = rest.filter((section) => section.score).sort((a, b) => b.score - a.score).slice(0, 12);
    const top = item(page.url, { ...first, title: page.title }, page.score);
    if (page.tags.length) top.tags = page.tags.map((tag) => mark(tag, pattern));
    const isBetter = below[0]?.score > first.score * (first.isWhole && first.text ? INTRO : 1);
    const opened = isBetter ? below[0] : null; // by Enter: Material opens the highest score
    const worth = (section, i) => (section === opened ? page.score + 0.02 : i < SECTIONS ? page.score : page.score / 2);
    const found = below.map((section, i) => item(`${page.url}#${section.anchor}`, section, worth(section, i)));
    return [top, ...found];
  };

  /** Return how the last word goes on; nothing if others stand before it and it is whole. */
  const suggestion = (query, clauses) => {
    const last = query.split(/[\s-]+/).at(-1);
    const typed = last.toLowerCase();
    if (clauses.length > 1 && clauses.at(-1).matched.has(typed)) return [];
    const longer = [...clauses.at(-1).matched].filter(([word]) => word.startsWith(typed) && word !== typed);
    const [word] = longer.sort(([, a], [, b]) => b.on.length - a.on.length)[0] ?? [];
    if (!word || !last) return [];
    const rest = word.slice(last.length);
    return [last + (/[A-Z]/.test(last) && !/[a-z]/.test(last) ? rest.toUpperCase() : rest)];
  };

  /** Return what the line above the results says instead of their number; contents.js puts it there, out of the first title. */
  const note = (kind, text) => `<small class="${kind}" hidden>${escapeHTML(text)}</small>`;

  /** Return the pages where a reader may go on whose words are on no page: lists of pages, messages and terms. */
  const startingPoints = async (query) => {
    const { pages } = await list();
    const numbers = STARTS.map((start) => pages.findIndex(([url]) => url === start)).filter((n) => n >= 0);
    const hint = note("pb-no-match", `No page here has ${query}. Try other words, or look here:`);
    return Promise.all(
      numbers.map(async (n, place) => {
        const [[, , first], second] = await part(`text/${n}`, `${n}`);
        const whole = first || second?.[2] || "";
        const text = whole.length > 200 ? whole.slice(0, 200).replace(/\s\S*$/, " …") : whole;
        const title = `${place ? "" : hint}${escapeHTML(pages[n][1])}`;
        return [{ location: pages[n][0], score: numbers.length - place, terms: {}, title, text: `<p>${escapeHTML(text)}</p>` }];
      }),
    );
  };

  const search = async (typed, isCurrent) => {
    const query = typed.replace(DEFINITION, " ").trim() || typed;
    const isDefinition = query.length < typed.trim().length;
    const everyWord = clausesOf(query);
    if (!everyWord.length) return { items: [], suggest: [] };
    const messages = await messagesIn(query, isDefinition);
    const isLong = everyWord.length > LONG_PASTE && messages.length;
    const asked = isLong ? clausesOf(messages[0].text) : everyWord;
    const { pages } = await list();
    const every = await Promise.all(asked.map((clause, i) => resolve(clause, i === asked.length - 1, pages.length)));
    const known = isGerman(query) ? every.filter(({ pages }) => pages.size) : every; // pages in English have its names only
    const clauses = known.length ? known : every;
    const total = clauses.reduce((sum, clause) => sum + clause.weight, 0);
    const isTerm = isDefinition || everyWord.length <= TERM_WORDS;
    let found = pages.map(([url, title, tags, boost, isBeside], n) => {
      const matched = clauses.filter((clause) => clause.pages.has(n));
      const covered = matched.reduce((sum, clause) => sum + clause.weight, 0) / total;
      const score = matched.reduce((sum, clause) => sum + clause.pages.get(n), 0) * covered ** 2;
      const certain = matched.filter((clause) => clause.isCertain);
      const isAbout = certain.length >= MANY || certain.reduce((sum, clause) => sum + clause.weight, 0) >= ABOUT * total;
      const isGlossary = isTerm && /^glos/i.test(title) && !isBeside;
      return { n, url, title, tags, boost, score, isAbout, isGlossary, isAsked: isDefinition, isBeside: Boolean(isBeside) };
    });
    found = found.filter(({ score }) => score).sort((a, b) => b.score * b.boost - a.score * a.boost);
    found = found.filter(({ score, isGlossary }, n) => isGlossary || (n < SHOWN && score > found[0].score / 20));
    await new Promise((resume) => setTimeout(resume, PAUSE_MS));
    if (!isCurrent()) return null;
    await Promise.all(found.map(async (page) => (page.text = await part(`text/${page.n}`, `${page.n}`))));
    for (const clause of clauses) {
      clause.pattern = anyOf([clause.whole, ...clause.forms]);
      clause.partPatterns = clause.partForms.map(anyOf);
    }
    const partly = clauses.flatMap(({ forms, partForms }) => (forms.length ? [] : partForms.flat()));
    const pattern = wholeWords([...clauses.flatMap(({ whole, forms }) => [whole, ...forms.slice(0, 12)]), ...partly.slice(0, 12)]);
    const weights = new Map(clauses.flatMap(({ whole, weight }) => wordsOf(whole).map((word, _, all) => [word, weight / all.length])));
    const words = wordsOf(query).map((word) => [word, weights.get(word) ?? 0.1]);
    const term = wordsOf(query).filter((word) => !STOP_WORDS.has(word)).map((word) => word.replace(/(?:ies|y|s)$/, "")).join("\\p{L}{0,3}[^\\p{L}\\p{N}]*");
    // "Warp 32 threads ..." in a glossary; a bare term is the first of its entry
    const entry = new RegExp(isDefinition ? `(?:^|[.)] )(?:[^.:]{0,24} )?${term}` : `(?:^|[.)]\\s+)${term}\\p{L}{0,3}(?![\\p{L}\\p{N}-])`, "iu");
    for (const page of found) rate(page, clauses, words, entry);
    arrange(found);
    const isKnown = messages.length > 0 || found.some((page) => page.isAbout);
    const isMissed = ({ whole, weight, pages, partForms }) =>
      !pages.size && !partForms.some((forms) => forms.length) && whole.length >= NAMED && weight >= TELLING * total;
    const missed = isKnown && !messages.length && clauses.length > 1 && clauses.length <= FEW ? clauses.filter(isMissed) : [];
    if (!isKnown || missed.length) found.splice(NEAREST);
    const cards = await Promise.all(byError(messages).map(cardsOf));
    const items = found.map((page) => shown(page, clauses, pattern));
    const right = clauses.reduce((text, { typed, meant }) => text.replace(typed, meant), query);
    const first = items[0]?.[0];
    if (first && !isKnown) first.title = note("pb-no-page", `No page here is about ${query}. The nearest:`) + first.title;
    else if (first && missed.length) {
      const named = missed.map(({ typed }) => typed).join(" or ");
      first.title = note("pb-no-word", `No page has ${named}. The nearest to the other words:`) + first.title;
    } else if (first && right !== query && !messages.length) first.title = `<small>Results for <em>${escapeHTML(right)}</em></small><br>${first.title}`;
    if (!cards.length && !items.length) return { items: await startingPoints(query), suggest: [] };
    return { items: [...cards, ...items], suggest: cards.length ? [] : suggestion(query, clauses) };
  };

  // Error messages that are pasted, and their cards

  const NOISE = [
    /\x1b?\[\d*(?:;\d+)*m/g, // colours of a terminal
    /\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, // addresses in memory, ids
    /(?<=[a-z])-(?=[a-z]*\d)[0-9a-z]{6,}\b/gi, // ids behind a name: nccl-03v824
    /\b\d+(?:\.\d+)?\s?(?:[KMGT]i?B|bytes|ms|s|%)(?![\w%])/g, // quantities
    /\b\d{4}-\d\d-\d\d(?:T|\b)|\b\d\d?:\d\d:\d\d(?:[.,]\d+)?/g, // times
    /(?:[\w.~…-]*\/)+(?=[\w.…-])/g, // the folders of a path
  ];
  const WHOLE = 0.7, PART = 0.75, IN_ORDER = 0.5, CARDS = 3; // the least part of a message, of a query, and of their pairs of words
  const LONG_PASTE = 14; // words; what has more is searched for by the words of its message alone

  const TROUBLE = /^(?:abort(?:ed)?|crash(?:ed|es)?|denied|errors?|fail(?:ed|s|ure|ures)?|fatal|killed|mismatch|refused|time-?outs?)$/; // in two or three words: "NCCL timeout"
  const BEFORE_TEXT = /^(?:[\w.]+ ){0,2}[\w.]*(?:error|exception|warning): (?=\S+ \S)/i; // what stands before the text of an error: "CUDA error: "
  const NAME = /[^_]_[^_]|[a-z][A-Z]/; // cudaErrorIllegalAddress, CUDA_ERROR_INVALID_VALUE

  /** Return the words of a message without paths, addresses and times; numbers in words are all alike, and "…" follows what is cut. */
  const messageWords = (text) => {
    const bare = NOISE.reduce((rest, noise) => rest.replace(noise, " "), text.normalize("NFC")).toLowerCase();
    return (bare.match(/[\p{L}_][\p{L}\p{N}_]*…?/gu) ?? []).map((word) => word.replace(/\d+/g, "#"));
  };
  /** Return a name as its signs in small letters: cudaErrorIllegalAddress is CUDA_ERROR_ILLEGAL_ADDRESS. */
  const plainName = (text) => text.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
  const pairsOf = (words) => words.slice(1).map((word, i) => `${words[i]} ${word}`);
  const numbersOf = (text) => new Set(text.match(/\d+/g));
  const CLASS = /\b(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning):(?=(?:\s+\S+){3})/; // of an exception, before what it says

  /** Return the messages of all pages with the weight of their words, the rarer the heavier. */
  const knownMessages = async () => {
    const found = await part("messages", "messages");
    if (found.words) return found;
    found.all = found.flatMap((texts, page) => texts.map((text, n) => ({ page, n, text, words: messageWords(text), ofClass: messageWords(text.match(CLASS)?.[0] ?? "") })));
    found.words = new Map();
    for (const { words } of found.all) for (const word of new Set(words)) found.words.set(word, (found.words.get(word) ?? 0) + 1);
    return found;
  };

  /** Return the messages that have all of two or three words, of which one is of trouble, if they are few. */
  const messagesWith = (asked, all) => {
    const isTrouble = asked.length > 1 && asked.length < 4 && asked.some((word) => TROUBLE.test(word)) && !asked.every((word) => TROUBLE.test(word));
    if (!isTrouble) return [];
    const parts = (text) => new Set((text.match(WORD) ?? []).flatMap((word) => [word, ...word.split(JOINT)]).map((word) => word.toLowerCase()));
    const stem = (word) => (word.length > 4 ? word.replace(/s$/, "") : word);
    const found = all.filter(({ text }) => ((own) => asked.every((word) => own.has(word) || own.has(stem(word))))(parts(text)));
    found.sort((a, b) => a.words.length - b.words.length); // the more of a message was typed
    return found.length > CARDS ? [] : found.map((message, n) => ({ ...message, score: 2 * CARDS - n }));
  };

  /** Return the messages that are in a query, or that it is a part of, the best first; of one that asks for a meaning, those in it. */
  const messagesIn = async (query, isDefinition) => {
    if (!(await list()).messages) return [];
    const asked = messageWords(query.replace(BEFORE_TEXT, "")).map((word) => word.replace("…", ""));
    const isName = asked.length === 1 && NAME.test(query);
    const { all, words: counts } = await knownMessages();
    const named = isName ? all.filter(({ text }) => plainName(text) === plainName(query)) : [];
    if (named.length) return named.slice(0, CARDS).map((message, n) => ({ ...message, score: 2 * CARDS - n }));
    if (query.trim().split(/\s+/).length < 3 && !isName) return messagesWith(asked, all);
    const isLog = /[:'"\]]/.test(query); // not a question that has the words of a message
    const weight = (word) => Math.log(1 + all.length / (counts.get(word) ?? 0.5)) * (STOP_WORDS.has(word) ? 0.3 : 1);
    const sum = (words) => [...new Set(words)].reduce((total, word) => total + weight(word), 0);
    const sumOfPairs = (pairs) => [...new Set(pairs)].reduce((total, pair) => total + sum(pair.split(" ")), 0);
    const [numbers, whole, inQuery, last] = [numbersOf(query), sum(asked), new Set(asked), asked.at(-1)];
    /** Return the word of the query that a message's word stands for: of one that is cut, and of the query's last, the beginning is enough. */
    const typedAs = (word) => {
      if (inQuery.has(word)) return word;
      if (word.endsWith("…")) return asked.find((each) => each.startsWith(word.slice(0, -1)));
      return last.length > 3 && last.length > word.length / 2 && word.startsWith(last) ? last : undefined;
    };
    const pairsInQuery = new Set(pairsOf(asked));
    const wholeOrder = sumOfPairs(pairsInQuery) || 1;
    const found = [];
    for (const message of all) {
      const typed = message.words.map(typedAs);
      const shared = new Set(typed.filter(Boolean));
      if (!shared.size) continue;
      const isCore = (word) => !message.ofClass.includes(word); // few copy the class of an exception
      const held = sum(message.words.filter((_, i) => typed[i]));
      const own = sum(message.words.filter((word, i) => typed[i] || isCore(word)));
      const [heldCore, core] = [sum(message.words.filter((word, i) => typed[i] && isCore(word))), sum(message.words.filter(isCore))];
      const ofQuery = sum([...shared]) / whole;
      const inOrder = sumOfPairs(pairsOf(typed.map((word) => word ?? "…")).filter((pair) => pairsInQuery.has(pair)));
      const isOrdered = inOrder >= IN_ORDER * Math.min(sumOfPairs(pairsOf(message.words)), sumOfPairs(pairsInQuery));
      const telling = message.words.filter((word) => !STOP_WORDS.has(word)).length;
      const isEnough = telling > 2 || (isLog && message.words.length > 2) || NAME.test(message.text) || asked.length === message.words.length;
      const isWhole = heldCore >= WHOLE * core && isEnough;
      const isPart = !isDefinition && ofQuery >= PART && (!isName || held >= own / 2);
      if (!isOrdered || !(isWhole || isPart)) continue;
      const same = [...numbersOf(message.text)].filter((number) => numbers.has(number)).length;
      found.push({ ...message, score: held * (held / own + ofQuery + (ofQuery > 0.99 ? inOrder / wholeOrder : 0)) + same });
    }
    found.sort((a, b) => b.score - a.score);
    if (!found.length) return messagesWith(asked, all);
    return found.filter(({ score }) => score > 0.6 * found[0].score).slice(0, CARDS);
  };

  /** Return the text of a cell of a table as HTML: code is between backticks. */
  const cell = (text) => escapeHTML(text).replace(/`([^`]+)`/g, "<code>$1</code>").replace(/\n/g, "<br>");

  /** Return the card of a message as a page that is found, with the section that Enter opens; those after the first are brief. */
  const cardOf = async ({ page, n, words, score }, place) => {
    const [url, title, dated, rows] = await part(`cards/${page}`, `cards/${page}`);
    const [anchor, shownText, meaning, advice, versions] = rows[n];
    const said = [["It means", meaning], ...advice].filter(([, text]) => text).slice(0, place ? 2 : undefined);
    const body = said.map(([label, text]) => `<dt>${escapeHTML(label)}</dt><dd>${cell(text)}</dd>`).join("");
    const foot = [versions && `Versions: ${escapeHTML(versions)}`, escapeHTML(dated)].filter(Boolean).join(" · ");
    const terms = Object.fromEntries(words.filter((word) => !STOP_WORDS.has(word) && !/[#…]/.test(word)).slice(0, 12).map((word) => [word, true]));
    const label = `<small class="pb-card-of">Error message, explained in <em>${escapeHTML(title)}</em></small>`;
    const text = `<dl class="pb-card">${body}</dl><p class="pb-card-foot">${foot}</p>`;
    const top = { location: url, score, terms, title: label, text: "" };
    return [top, { location: `${url}${anchor || ""}`, score: score + 0.02, terms, title: cell(shownText), text }];
  };

  /** Return messages in groups: those of one error, which several pages explain. */
  const byError = (messages) => {
    const groups = [];
    const isSame = (a, b) => a.length > 1 && b.length > 1 && (` ${a.join(" ")} `.includes(` ${b.join(" ")} `) || ` ${b.join(" ")} `.includes(` ${a.join(" ")} `));
    const bare = ({ text }) => messageWords(text.replace(BEFORE_TEXT, "")).map((word) => word.replace("…", ""));
    for (const message of messages) {
      const group = groups.find(([first]) => plainName(first.text) === plainName(message.text) || isSame(bare(first), bare(message)));
      if (group) group.push(message);
      else groups.push([message]);
    }
    return groups;
  };

  /** Return the card of an error as a page that is found, with links to the other pages that explain it. */
  const cardsOf = async (group, place) => {
    const [first, ...others] = await Promise.all(group.map((message) => cardOf(message, place)));
    const seen = new Set([first[0].location]);
    for (const [top, row] of others) {
      if (seen.has(top.location)) continue;
      seen.add(top.location);
      const title = top.title.replace("Error message, explained in", "Also explained in").replace("pb-card-of", "pb-card-of pb-card-also");
      first.push({ ...row, score: first[0].score, title, text: "" });
    }
    return first;
  };

  // Messages of Material's interface

  let latest = 0;
  self.planbookAnswer = async ({ data: { type, data } }) => {
    if (type !== QUERY) return;
    const own = ++latest;
    const result = await search(data, () => own === latest);
    if (own === latest) postMessage({ type: RESULT, data: result });
  };
})();
