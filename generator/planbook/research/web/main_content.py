"""Find the main content of a page by its type: posts of a discussion, main element of documentation, or article.

Only the choice is made here; blocks are converted as they are (:mod:`.blocks`). trafilatura chooses the blocks of
articles. See docs/decisions/0029-error-rates.md for the results.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator

import trafilatura
from lxml.html import Element, HtmlElement

from planbook.research.web.blocks import PageBlock, classes_of, count_letters, drop, joined, language_of, page_blocks

_TOOLS, _MAX_LABEL = ("button", "clipboard-copy"), 200
_TOOL_CLASSES = frozenset(
    {
        *("anchorjs-link", "copy-button", "copybtn", "example-header", "footnote-backref", "gutter", "hash-link"),
        *("header-anchor", "headerlink", "heading-anchor", "katex-html", "line-numbers-rows", "linenodiv", "lineno"),
        *("linenos", "rouge-gutter", "sr-only", "tabbed-labels", "visually-hidden", "zeroclipboard-container"),
    }
)
"""Classes of controls that are not text: permalinks of headings, copy buttons, line numbers."""
_FORMULAS = frozenset({"katex", "katex-display", "MathJax", "ltx_equation", "mwe-math-element"})
_MAX_FORMULA = 2_000
_SHARE_OF_LINKS = 0.9
"""Share of a list's letters in links above which it is a menu, a table of contents, or a list of addresses."""
_MUCH_MORE = 2.5
"""Minimum ratio of the words in a page's main element to those of its article for the former to be the main text."""
_DISCUSSION = re.compile(
    r"//[^/]*(?:forum|communit|discuss|board|\bbbs\b|answers|stackexchange|stackoverflow)|showthread|viewtopic|/thread-"
    r"|/(?:forums?|boards?|bbs|threads?|topics?|questions?|discussions?|comments|t|talk|community)/|[?&]topic="
    r"|/post/\d+(?:$|[/?#])",
    re.IGNORECASE,
)
_DISCUSSION_TYPE = re.compile(r"DiscussionForumPosting|QAPage")
_DOCUMENTATION = re.compile(
    r"//(?:docs?|developers?|wiki|learn|man\d?|help|support|api|reference)\.|\.readthedocs\.|//[^/]*wiki"
    r"|/(?:api|book|docs?|documentation|glossary|guide|handbook|learn|man|manual|reference|std|tutorials?|userguide|wiki)/",
    re.IGNORECASE,
)
_GENERATOR = re.compile(
    r"docbook|docusaurus|docutils|doxygen|hevea|javadoc|latex2html|mdbook|mkdocs|pydoc|rustdoc|sphinx|tex4ht"
    r"|texi2any|texi2html|texinfo|vitepress",
    re.IGNORECASE,
)
"""Programs that make pages of documentation, as a page's head names them."""
_POST = re.compile(
    r"(?:(?:post|message|msg|comment|reply|topic)(?:[-_][\w-]*)?(?:body|text|content|message|msg|prose)(?:height)?"
    r"|(?:user|post|message)content|bbwrapper|postmsg|commtext|usertext-body|md-div|ips(?:type_)?richtext(?:--user)?"
    r"|s-prose|cooked)(?:[-_]*N)?|(?:msg|pid)_?N",
    re.IGNORECASE,
)
"""Classes and ids by which forum software marks the text of one post; ``N`` replaces its number."""
_NOT_OF_POST = re.compile(r"signature|last-?edit|expand|onebox|shrink|reaction|avatar|likes", re.IGNORECASE)
_MIN_POSTS, _MIN_LETTERS = 2, 200
_SHARE_OF_PAGE, _SHARE_OF_POSTS = 0.05, 0.8
"""Minimum share of the page's letters in its posts; and of those, in the elements that hold only their text."""
_HOLDERS = (
    "//main",
    "//*[@role='main']",
    "//article",
    "//*[@id='main-content' or @id='content' or @id='bodyContent' or @id='docContent' or @id='main']",
    "//*[@itemprop='articleBody']",
)
_SHARE_OF_HOLDER = 0.25
"""Minimum share of the page's letters in an element that holds its main content."""
_AROUND = re.compile(
    r"(?:^|[\s_-])(?:nav|nav(?:bar|header|footer)|navigation|menu|sidebar|toc|breadcrumbs?|footer|pagination|pager|prev-next|related|share"
    r"|social|feedback|edit-?(?:page|this)|newsletter|comments?|cookie|banner|promo|skip|sphinxsidebar|table-of-contents"
    r"|contributors|titlearea|masthead|last-updated|on-this-page|mw-editsection|metadata|printfooter|catlinks|advert|line-numbers-wrapper"
    r"|repository-container-header|gh-header-meta)(?:$|[\s_-])",
    re.IGNORECASE,
)
_MAX_NAME = 200
"""Maximum length of a class: longer ones belong to utility style sheets and are not names."""


def main_text(tree: HtmlElement, url: str, visible: str) -> str:
    """Return the main text of a page as Markdown: the posts of a discussion, or an article.

    The main element of a page is its article if it holds much more than what trafilatura finds. `tree` is changed.
    """
    _clean(tree)
    if tree.find("body") is None or _keep_posts(tree, url, visible):
        return joined(page_blocks(tree))
    made_with = tree.xpath("//meta[translate(@name, 'G', 'g') = 'generator']/@content")
    main = copy.deepcopy(tree)
    _keep_main(main)
    whole = joined(page_blocks(main))
    if _DOCUMENTATION.search(url) or any(map(_GENERATOR.search, made_with)):
        return whole
    article = joined(_article(tree, url))
    return whole if len(whole.split()) >= _MUCH_MORE * len(article.split()) else article


def _article(tree: HtmlElement, url: str) -> list[PageBlock]:
    """Return the blocks that trafilatura takes for the article, below their headings.

    Each block gets a word of its own, which is looked up in what trafilatura finds.
    """
    blocks = page_blocks(tree)
    stem = f"q{hashlib.sha256(url.encode()).hexdigest()[:5]}n"
    for n, block in enumerate(blocks):
        element, text = block.element, block.element.text or ""
        if element.tag in {"pre", "table"}:
            element[:], text = [], ""
        if element.tag in {"dd", "dt", "figcaption", "pre", "table"}:
            element.tag = "p"
        element.text = f"{stem}{n}x {text}"
    for element in tree.iter("dd", "figure"):
        element.tag = "div"
    found = trafilatura.extract(tree, url=url, output_format="txt", include_comments=False) or ""
    chosen = {int(n) for n in re.findall(rf"{stem}(\d+)x", found)}
    chosen = _with_what_belongs(blocks, chosen)
    kept: list[PageBlock] = []
    waiting: list[PageBlock] = []  # headings above that are not chosen themselves
    for n, block in enumerate(blocks):
        waiting = [above for above in waiting if above.level < block.level] if block.level else waiting
        if n in chosen:
            kept += [*waiting, block]
            waiting = []
        elif block.level:
            waiting.append(block)
    return kept


def _with_what_belongs(blocks: list[PageBlock], chosen: set[int]) -> set[int]:
    """Return the places of the chosen blocks, with those that are not to be read without them.

    Nothing is left out between two chosen blocks of one element, no term without its definition, and no list without
    the lines around it: trafilatura leaves out many a list below the line that announces it.
    """
    holders: dict[HtmlElement, list[int]] = defaultdict(list)
    for n, block in enumerate(blocks):
        holders[_holder(block)].append(n)
    found = set(chosen)
    for holder, inside in holders.items():
        some = [n for n in inside if n in chosen]
        if not some:
            continue
        if holder.tag == "dl":
            found.update(inside)
        else:
            found.update(n for n in inside if some[0] <= n <= some[-1])
            found.update(_announced(blocks, inside, some[-1]))
    return found


def _holder(block: PageBlock) -> HtmlElement:
    """Return the element whose text a block is part of: of a list, the one that the whole list stands in."""
    element = block.element
    definitions = list(element.iterancestors("dl"))
    if definitions:
        return definitions[-1]
    lists = list(element.iterancestors("ul", "ol"))
    return (lists[-1] if lists else element).getparent()


def _announced(blocks: list[PageBlock], inside: list[int], last: int) -> Iterator[int]:
    """Yield the items of the list that the last chosen block of an element announces with a colon."""
    text = " ".join(blocks[last].element.text_content().split())
    following = [n for n in inside if n > last]
    if not text.endswith(":") or following[:1] != [last + 1]:
        return
    for n in following:
        if blocks[n].level or not any(True for _ in blocks[n].element.iterancestors("ul", "ol")):
            return
        yield n


def _clean(tree: HtmlElement) -> None:
    """Drop controls, permalinks, lists of links and labels of code, and replace formulas by their TeX."""
    drop(one for one in tree.iter(*_TOOLS) if len(one.text_content()) <= _MAX_LABEL)  # else it was not closed
    drop(one for one in tree.iter() if one.get("role") == "tablist" or classes_of(one) & _TOOL_CLASSES)
    drop(entries for entries in tree.iter("ul", "ol", "dl", "table") if _is_list_of_links(entries))
    for pre in tree.iter("pre"):
        label = language_of(pre)
        drop(one for one in pre.itersiblings(preceding=True) if label and one.text_content().strip().lower() == label)
    for math in list(tree.iter("math")):
        if math.getparent() is not None:
            _replace_formula(math)


def _is_list_of_links(entries: HtmlElement) -> bool:
    """Return whether a list only links elsewhere: links make up all but a little of its text, without its numbers."""
    links = [link.text_content() for link in entries.iter("a") if link.get("href")]
    in_links, letters = (sum(map(str.isalpha, text)) for text in ("".join(links), entries.text_content()))
    return len(links) >= 2 and in_links >= _SHARE_OF_LINKS * letters > 0


def _replace_formula(math: HtmlElement) -> None:
    annotations = math.xpath(".//annotation[@encoding='application/x-tex']")
    tex = " ".join((annotations[0].text_content() if annotations else math.get("alttext") or "").split())
    if not tex or len(tex) > _MAX_FORMULA or "$" in tex:
        return
    shown = next((e for e in math.iterancestors("span", "mjx-container", "table") if classes_of(e) & _FORMULAS), math)
    shown = shown if sum(1 for _ in shown.iter("math")) < 2 else math
    is_displayed = math.get("display") == "block"
    formula = Element("displayed-tex" if is_displayed else "tex")
    formula.text = f"$$\n{tex}\n$$" if is_displayed else f"${tex}$"
    formula.tail = shown.tail
    shown.getparent().replace(shown, formula)


def _keep_posts(tree: HtmlElement, url: str, visible: str) -> bool:
    """Reduce `tree` to its heading and posts if its address or its metadata says that it is a discussion.

    Return whether it was. `visible` is the page's visible text.
    """
    marks = tree.xpath("//@itemtype | //script[contains(@type, 'ld+json')]/text()")
    if not (_DISCUSSION.search(url) or any(map(_DISCUSSION_TYPE.search, marks))):
        return False
    for element in list(tree.iter("noscript")):  # what many forums show without scripts
        element.drop_tag()
    groups: dict[str, list[HtmlElement]] = defaultdict(list)
    for element in tree.iter():
        named = {*(element.get("class") or "").split(), re.sub(r"\d+", "N", element.get("id") or "")}
        for name in filter(_POST.fullmatch, named):
            groups[name].append(element)
        if element.get("itemprop") in {"text", "articleBody"}:
            groups["itemprop"].append(element)
    found = [posts for posts in map(_outermost, groups.values()) if len(posts) >= _MIN_POSTS]
    most = max(map(_size, found), default=0)
    if most < max(_MIN_LETTERS, _SHARE_OF_PAGE * count_letters(visible)):
        return False
    posts = min((posts for posts in found if _size(posts) >= _SHARE_OF_POSTS * most), key=_size)
    for post in posts:
        post.tag = "div"
        drop(element for element in post.iterdescendants() if _NOT_OF_POST.search(element.get("class") or ""))
    _keep(tree, [*list(tree.iter("h1"))[:1], *posts])
    return True


def _keep_main(tree: HtmlElement) -> None:
    """Reduce `tree` to the element with its main content; without one, to its body."""
    body = tree.find("body")
    drop(body.iter("script", "style", "template", "svg", "select", "textarea"))
    enough = _SHARE_OF_HOLDER * count_letters(body.text_content())
    holders = (max(_outermost(tree.xpath(path)), key=_letters, default=body) for path in _HOLDERS)
    holder = next((holder for holder in holders if holder is not body and _letters(holder) >= enough), body)
    tags = {"nav", "aside", "footer", "dialog"} | ({"header"} if holder is body else set())
    drop(element for element in holder.iterdescendants() if element.tag in tags or _is_around(element))
    if holder is not body:
        _keep(tree, [holder])


def _is_around(element: HtmlElement) -> bool:
    names = " ".join(filter(None, map(element.get, ("class", "id", "role", "aria-label"))))
    is_holder = element.tag in {"div", "ul", "ol", "section", "span", "p", "table"}
    return is_holder and len(names) < _MAX_NAME and bool(_AROUND.search(names))


def _keep(tree: HtmlElement, elements: list[HtmlElement]) -> None:
    """Make `elements` the whole content of the page."""
    article = Element("article")
    article.extend(elements)
    for element in elements:
        element.tail = None
    body = tree.find("body")
    body.text = None
    body[:] = [article]


def _outermost(group: list[HtmlElement]) -> list[HtmlElement]:
    inside = set(group)
    return [element for element in group if inside.isdisjoint(element.iterancestors())]


def _letters(element: HtmlElement) -> int:
    return count_letters(element.text_content())


def _size(posts: list[HtmlElement]) -> int:
    return sum(map(_letters, posts))
