"""Find the main content of a page by its type.

It is the posts of a discussion, the main element of documentation, or an article.

Only the choice is made here; blocks are converted as they are (:mod:`.blocks`). trafilatura chooses
the blocks of articles. See docs/decisions/0029-error-rates.md for the results.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator

import trafilatura
from lxml.html import Element, HtmlElement

from planbook.research.web.code_blocks import language_of
from planbook.research.web.html_to_markdown import (
    PageBlock,
    classes_of,
    drop,
    join_markdown,
    page_blocks,
)
from planbook.research.web.inline_markdown import count_letters

_TOOLS = ("button", "clipboard-copy")
"""Elements of controls."""
_MAX_LABEL = 200
"""Maximum number of characters on one; a longer one was not closed."""
_TOOL_CLASSES = frozenset(
    {
        "anchorjs-link",
        "copy-button",
        "copybtn",
        "example-header",
        "footnote-backref",
        "gutter",
        "hash-link",
        "header-anchor",
        "headerlink",
        "heading-anchor",
        "katex-html",
        "line-numbers-rows",
        "linenodiv",
        "lineno",
        "linenos",
        "rouge-gutter",
        "sr-only",
        "tabbed-labels",
        "visually-hidden",
        "zeroclipboard-container",
    }
)
"""Classes of controls that are not text: permalinks of headings, copy buttons, line numbers."""
_FORMULAS = frozenset({"katex", "katex-display", "MathJax", "ltx_equation", "mwe-math-element"})
_MAX_FORMULA = 2_000
_SHARE_OF_LINKS = 0.9
"""Share of a list's letters in links above which it is no text.

It is a menu, a table of contents, or a list of addresses.
"""
_MUCH_MORE = 2.5
"""Minimum ratio of the words in a page's main element to those of its article.

From it on, the main element is the main text.
"""
_DISCUSSION_HOSTS = r"forum|communit|discuss|board|\bbbs\b|answers|stackexchange|stackoverflow"
_DISCUSSION_FOLDERS = (
    "forums?|boards?|bbs|threads?|topics?|questions?|discussions?|comments|t|talk|community"
)
_DISCUSSION = re.compile(
    rf"""//[^/]*(?:{_DISCUSSION_HOSTS})
    |   showthread|viewtopic|/thread-
    |   /(?:{_DISCUSSION_FOLDERS})/
    |   [?&]topic=
    |   /post/\d+(?:$|[/?\#])
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""The address of a discussion: ``https://forum.example.org/t/kilns/12``."""
_DISCUSSION_TYPE = re.compile(r"DiscussionForumPosting|QAPage")
_DOCUMENTATION_HOSTS = r"docs?|developers?|wiki|learn|man\d?|help|support|api|reference"
_DOCUMENTATION_FOLDERS = (
    "api|book|docs?|documentation|glossary|guide|handbook|learn|man|manual|reference|std"
    "|tutorials?|userguide|wiki"
)
_DOCUMENTATION = re.compile(
    rf"//(?:{_DOCUMENTATION_HOSTS})\.|\.readthedocs\.|//[^/]*wiki|/(?:{_DOCUMENTATION_FOLDERS})/",
    re.IGNORECASE,
)
"""The address of documentation: ``https://docs.example.org/kilns/``."""
_GENERATORS = (
    *("docbook", "docusaurus", "docutils", "doxygen", "hevea", "javadoc", "latex2html", "mdbook"),
    *("mkdocs", "pydoc", "rustdoc", "sphinx", "tex4ht", "texi2any", "texi2html", "texinfo"),
    "vitepress",
)
"""Programs that make pages of documentation, as a page's head names them."""
_GENERATOR = re.compile("|".join(_GENERATORS), re.IGNORECASE)
_POST_NAMES = (
    r"(?:post|message|msg|comment|reply|topic)(?:[-_][\w-]*)?"
    r"(?:body|text|content|message|msg|prose)(?:height)?",  # post-body, message_text
    "(?:user|post|message)content",
    *("bbwrapper", "postmsg", "commtext", "usertext-body", "md-div"),
    "ips(?:type_)?richtext(?:--user)?",
    *("s-prose", "cooked"),
)
_POST = re.compile(rf"(?:{'|'.join(_POST_NAMES)})(?:[-_]*N)?|(?:msg|pid)_?N", re.IGNORECASE)
"""Classes and ids by which forum software marks the text of one post; ``N`` replaces its number."""
_NOT_OF_POST = re.compile(
    r"signature|last-?edit|expand|onebox|shrink|reaction|avatar|likes", re.IGNORECASE
)
_MIN_POSTS = 2
_MIN_LETTERS = 200
"""Minimum numbers of the posts of a discussion, and of letters in them."""
_SHARE_OF_PAGE = 0.05
"""Minimum share of the page's letters in its posts."""
_SHARE_OF_POSTS = 0.8
"""Minimum share of those in the elements that hold only the posts' text."""
_HOLDERS = (
    "//main",
    "//*[@role='main']",
    "//article",
    "//*[@id='main-content' or @id='content' or @id='bodyContent' or @id='docContent'"
    " or @id='main']",
    "//*[@itemprop='articleBody']",
)
"""Elements that may hold the main content, the surest first."""
_SHARE_OF_HOLDER = 0.25
"""Minimum share of the page's letters in an element that holds its main content."""
_NAMES_AROUND = (
    *("nav", "nav(?:bar|header|footer)", "navigation", "menu", "sidebar", "toc", "breadcrumbs?"),
    *("footer", "pagination", "pager", "prev-next", "related", "share", "social", "feedback"),
    *("edit-?(?:page|this)", "newsletter", "comments?", "cookie", "banner", "promo", "skip"),
    *("sphinxsidebar", "table-of-contents", "contributors", "titlearea", "masthead"),
    *("last-updated", "on-this-page", "mw-editsection", "metadata", "printfooter", "catlinks"),
    *("advert", "line-numbers-wrapper", "repository-container-header", "gh-header-meta"),
)
_SURROUNDING_NAME = re.compile(
    rf"(?:^|[\s_-])(?:{'|'.join(_NAMES_AROUND)})(?:$|[\s_-])", re.IGNORECASE
)
"""Names of elements around the main content, or parts of such names: ``site-footer``."""
_MAX_NAME = 200
"""Maximum length of a class: longer ones belong to utility style sheets and are not names."""


def main_text(tree: HtmlElement, url: str, visible: str) -> str:
    """Return the main text of a page as Markdown: the posts of a discussion, or an article.

    The main element of a page is its article if it holds much more than what trafilatura finds.
    `tree` is changed.
    """
    _clean(tree)
    if tree.find("body") is None or _keep_posts(tree, url, visible):
        return join_markdown(page_blocks(tree))
    made_with = tree.xpath("//meta[translate(@name, 'G', 'g') = 'generator']/@content")
    main = copy.deepcopy(tree)
    _keep_main(main)
    whole = join_markdown(page_blocks(main))
    if _DOCUMENTATION.search(url) or any(map(_GENERATOR.search, made_with)):
        return whole
    article = join_markdown(_article(tree, url))
    return whole if len(whole.split()) >= _MUCH_MORE * len(article.split()) else article


def _article(tree: HtmlElement, url: str) -> list[PageBlock]:
    """Return the blocks that trafilatura takes for the article, below their headings.

    Each block gets a word of its own, which is looked up in what trafilatura finds.
    """
    blocks = page_blocks(tree)
    stem = f"q{hashlib.sha256(url.encode()).hexdigest()[:5]}n"
    for index, block in enumerate(blocks):
        element = block.element
        text = element.text or ""
        if element.tag in {"pre", "table"}:
            element[:] = []
            text = ""
        if element.tag in {"dd", "dt", "figcaption", "pre", "table"}:
            element.tag = "p"
        element.text = f"{stem}{index}x {text}"
    for element in tree.iter("dd", "figure"):
        element.tag = "div"
    text = trafilatura.extract(tree, url=url, output_format="txt", include_comments=False) or ""
    marked = {int(number) for number in re.findall(rf"{stem}(\d+)x", text)}
    return _add_headings(blocks, _add_what_belongs(blocks, marked))


def _add_headings(blocks: list[PageBlock], chosen: set[int]) -> list[PageBlock]:
    """Return the chosen blocks, with the headings above them that are not chosen themselves."""
    blocks_in_order: list[PageBlock] = []
    waiting: list[PageBlock] = []  # headings above the next block
    for index, block in enumerate(blocks):
        if block.level:  # it ends the sections of its level and below
            waiting = [heading for heading in waiting if heading.level < block.level]
        if index in chosen:
            blocks_in_order += [*waiting, block]
            waiting = []
        elif block.level:
            waiting.append(block)
    return blocks_in_order


def _add_what_belongs(blocks: list[PageBlock], chosen: set[int]) -> set[int]:
    """Return the places of the chosen blocks, with those that are not to be read without them.

    Nothing is left out between two chosen blocks of one element, no term without its definition,
    and no list without the lines around it: trafilatura leaves out many a list below the line that
    announces it.
    """
    holders: dict[HtmlElement, list[int]] = defaultdict(list)
    for index, block in enumerate(blocks):
        holders[_holder(block)].append(index)
    belonging = set(chosen)
    for holder, inside in holders.items():
        chosen_inside = [index for index in inside if index in chosen]
        if not chosen_inside:
            continue
        if holder.tag == "dl":
            belonging.update(inside)
        else:
            belonging.update(
                index for index in inside if chosen_inside[0] <= index <= chosen_inside[-1]
            )
            belonging.update(_announced_blocks(blocks, inside, chosen_inside[-1]))
    return belonging


def _holder(block: PageBlock) -> HtmlElement:
    """Return the element whose text a block is part of.

    Of a list, it is the one that the whole list stands in.
    """
    element = block.element
    definitions = list(element.iterancestors("dl"))
    if definitions:
        return definitions[-1]
    lists = list(element.iterancestors("ul", "ol"))
    return (lists[-1] if lists else element).getparent()


def _announced_blocks(blocks: list[PageBlock], inside: list[int], chosen: int) -> Iterator[int]:
    """Yield the items of a list, if the last chosen block above announces it with a colon."""
    text = " ".join(blocks[chosen].element.text_content().split())
    following = [index for index in inside if index > chosen]
    if not text.endswith(":") or following[:1] != [chosen + 1]:
        return
    for index in following:
        block = blocks[index]
        is_item = next(block.element.iterancestors("ul", "ol"), None) is not None
        if block.level or not is_item:
            return
        yield index


def _clean(tree: HtmlElement) -> None:
    """Drop controls, permalinks, lists of links and labels of code.

    Formulas are replaced by their TeX.
    """
    drop(tool for tool in tree.iter(*_TOOLS) if len(tool.text_content()) <= _MAX_LABEL)
    drop(element for element in tree.iter() if _is_tool(element))
    drop(entries for entries in tree.iter("ul", "ol", "dl", "table") if _is_list_of_links(entries))
    for pre in tree.iter("pre"):
        _drop_label(pre)
    for math in list(tree.iter("math")):
        if math.getparent() is not None:
            _replace_formula(math)


def _is_list_of_links(entries: HtmlElement) -> bool:
    """Return whether a list only links elsewhere.

    Links make up all but a little of its text, without its numbers.
    """
    links = [link.text_content() for link in entries.iter("a") if link.get("href")]
    in_links = sum(map(str.isalpha, "".join(links)))
    letters = sum(map(str.isalpha, entries.text_content()))
    return len(links) >= 2 and in_links >= _SHARE_OF_LINKS * letters > 0


def _is_tool(element: HtmlElement) -> bool:
    """Return whether an element is a control, and no text."""
    return element.get("role") == "tablist" or bool(classes_of(element) & _TOOL_CLASSES)


def _drop_label(pre: HtmlElement) -> None:
    """Drop the elements above code that only name its language."""
    label = language_of(pre)
    if label:
        above = pre.itersiblings(preceding=True)
        drop(element for element in above if element.text_content().strip().lower() == label)


def _replace_formula(math: HtmlElement) -> None:
    """Put the TeX of a formula in its place, if the page has it."""
    annotations = math.xpath(".//annotation[@encoding='application/x-tex']")
    written = annotations[0].text_content() if annotations else math.get("alttext") or ""
    tex = " ".join(written.split())
    if not tex or len(tex) > _MAX_FORMULA or "$" in tex:
        return
    formula_shown = _shown_formula(math)
    is_displayed = math.get("display") == "block"
    formula = Element("displayed-tex" if is_displayed else "tex")
    formula.text = f"$$\n{tex}\n$$" if is_displayed else f"${tex}$"
    formula.tail = formula_shown.tail
    formula_shown.getparent().replace(formula_shown, formula)


def _shown_formula(math: HtmlElement) -> HtmlElement:
    """Return the element that shows a formula, and no other one; its MathML is a part of it."""
    for element in math.iterancestors("span", "mjx-container", "table"):
        if classes_of(element) & _FORMULAS:
            return element if len(list(element.iter("math"))) < 2 else math
    return math


def _keep_posts(tree: HtmlElement, url: str, visible: str) -> bool:
    """Reduce `tree` to its heading and posts if it is a discussion; return whether it was.

    Its address or its metadata says so. `visible` is the page's visible text.
    """
    marks = tree.xpath("//@itemtype | //script[contains(@type, 'ld+json')]/text()")
    if not (_DISCUSSION.search(url) or any(map(_DISCUSSION_TYPE.search, marks))):
        return False
    for element in list(tree.iter("noscript")):  # what many forums show without scripts
        element.drop_tag()
    groups = _groups_of_posts(tree)
    most = max(map(_letters_of_posts, groups), default=0)
    if most < max(_MIN_LETTERS, _SHARE_OF_PAGE * count_letters(visible)):
        return False
    large = [posts for posts in groups if _letters_of_posts(posts) >= _SHARE_OF_POSTS * most]
    posts = min(large, key=_letters_of_posts)
    for post in posts:
        post.tag = "div"
        drop(
            inner
            for inner in post.iterdescendants()
            if _NOT_OF_POST.search(inner.get("class") or "")
        )
    _keep(tree, [*list(tree.iter("h1"))[:1], *posts])
    return True


def _groups_of_posts(tree: HtmlElement) -> list[list[HtmlElement]]:
    """Return groups of elements that may be the posts of a discussion: those with one name."""
    groups: dict[str, list[HtmlElement]] = defaultdict(list)
    for element in tree.iter():
        number_free = re.sub(r"\d+", "N", element.get("id") or "")
        for name in filter(_POST.fullmatch, {*classes_of(element), number_free}):
            groups[name].append(element)
        if element.get("itemprop") in {"text", "articleBody"}:
            groups["itemprop"].append(element)
    outermost = map(_outermost, groups.values())
    return [posts for posts in outermost if len(posts) >= _MIN_POSTS]


def _keep_main(tree: HtmlElement) -> None:
    """Reduce `tree` to the element with its main content; without one, to its body."""
    body = tree.find("body")
    drop(body.iter("script", "style", "template", "svg", "select", "textarea"))
    holder = _holder_of_main(tree, body)
    tags = {"nav", "aside", "footer", "dialog"}
    if holder is body:  # within an element of its own, a header belongs to the text
        tags.add("header")
    drop(
        element
        for element in holder.iterdescendants()
        if element.tag in tags or _is_named_as_surrounding(element)
    )
    if holder is not body:
        _keep(tree, [holder])


def _holder_of_main(tree: HtmlElement, body: HtmlElement) -> HtmlElement:
    """Return the element that holds enough of a page to be its main content, else its body."""
    enough = _SHARE_OF_HOLDER * count_letters(body.text_content())
    for path in _HOLDERS:
        holder = max(_outermost(tree.xpath(path)), key=_count_element_letters, default=body)
        if holder is not body and _count_element_letters(holder) >= enough:
            return holder
    return body


def _is_named_as_surrounding(element: HtmlElement) -> bool:
    """Return whether an element's names say that it is around the text, and not of it."""
    if element.tag not in {"div", "ul", "ol", "section", "span", "p", "table"}:
        return False
    attributes = [element.get(name) for name in ("class", "id", "role", "aria-label")]
    names = " ".join(name for name in attributes if name)
    return len(names) < _MAX_NAME and _SURROUNDING_NAME.search(names) is not None


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
    """Return the elements of a group that are not inside others of it."""
    inside = set(group)
    return [element for element in group if inside.isdisjoint(element.iterancestors())]


def _count_element_letters(element: HtmlElement) -> int:
    return count_letters(element.text_content())


def _letters_of_posts(posts: list[HtmlElement]) -> int:
    """Return the number of letters in posts."""
    return sum(map(_count_element_letters, posts))
