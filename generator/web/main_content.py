"""Reduce a page to its main content by its type: the posts of a discussion, or the element that holds the text.

trafilatura looks for one article. Of a discussion it keeps at most the first post, and from documentation it drops
notes, tabs and lists. See docs/decisions/0029-error-rates.md for what this changes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from lxml.html import Element, HtmlElement

from generator.web.markup import count_letters, is_block

_DISCUSSION = re.compile(
    r"//[^/]*(?:forum|communit|discuss|board|\bbbs\b|answers|stackexchange|stackoverflow)|showthread|viewtopic|/thread-"
    r"|/(?:forums?|boards?|bbs|threads?|topics?|questions?|discussions?|comments|t|talk|community)/|[?&]topic="
    r"|/post/\d+(?:$|[/?#])",
    re.IGNORECASE,
)
_DISCUSSION_TYPE = re.compile(r"DiscussionForumPosting|QAPage")
DOCUMENTATION = re.compile(
    r"//(?:docs?|developers?|wiki|learn|man\d?|help|support|api|reference)\.|\.readthedocs\.|//[^/]*wiki"
    r"|/(?:docs?|documentation|manual|man|reference|wiki|tutorials?|handbook|api|learn|guide|userguide|std)/",
    re.IGNORECASE,
)
_POST = re.compile(
    r"(?:(?:post|message|msg|comment|reply|topic)(?:[-_]+\w+)*[-_]*(?:body|text|content|message|msg|prose)(?:height)?"
    r"|(?:user|post|message)content|bbwrapper|postmsg|commtext|usertext-body|md-div|ips(?:type_)?richtext(?:--user)?"
    r"|s-prose|cooked)(?:[-_]*N)?|(?:msg|pid)_?N",
    re.IGNORECASE,
)
"""Classes and ids by which forum software marks the text of one post; ``N`` replaces its number."""
_NOT_OF_POST = re.compile(r"signature|last-?edit|expand|shrink|reaction|avatar|likes", re.IGNORECASE)
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
    r"|contributors|last-updated|on-this-page|mw-editsection|metadata|printfooter|catlinks|advert|line-numbers-wrapper"
    r"|repository-container-header|gh-header-meta)(?:$|[\s_-])",
    re.IGNORECASE,
)
_MAX_NAME = 200
"""Maximum length of a class: longer ones belong to utility style sheets and are not names."""


def show_noscript(tree: HtmlElement) -> None:
    """Unwrap the text that a page shows without scripts, where many forums have their posts."""
    for element in list(tree.iter("noscript")):
        if element.getparent() is not None and count_letters(element.text_content()) >= _MIN_LETTERS:
            element.drop_tag()


def keep_posts(tree: HtmlElement, url: str, visible: str) -> bool:
    """Reduce `tree` to its heading and posts if its address or its metadata says that it is a discussion.

    Return whether it was. `visible` is the page's visible text.
    """
    marks = tree.xpath("//@itemtype | //script[contains(@type, 'ld+json')]/text()")
    if not (_DISCUSSION.search(url) or any(map(_DISCUSSION_TYPE.search, marks))):
        return False
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
        _drop(element for element in post.iterdescendants() if _NOT_OF_POST.search(element.get("class") or ""))
    _keep(tree, [*list(tree.iter("h1"))[:1], *posts])
    return True


def keep_main(tree: HtmlElement) -> None:
    """Reduce `tree` to the element with its main content; without one, to its body."""
    body = tree.find("body")
    _drop(body.iter("script", "style", "template", "svg", "select", "textarea"))
    enough = _SHARE_OF_HOLDER * count_letters(body.text_content())
    holders = (max(_outermost(tree.xpath(path)), key=_letters, default=body) for path in _HOLDERS)
    holder = next((holder for holder in holders if holder is not body and _letters(holder) >= enough), body)
    tags = {"nav", "aside", "footer", "dialog"} | ({"header"} if holder is body else set())
    _drop(element for element in holder.iterdescendants() if element.tag in tags or _is_around(element))
    if holder is not body:
        _keep(tree, [holder])


def simplify(tree: HtmlElement) -> None:
    """Drop attributes and links, which trafilatura uses to detect boilerplate, and wrap bare text in paragraphs."""
    for link in list(tree.iter("a")):
        link.drop_tag()
    for element in tree.iter():
        element.attrib.clear()
        if element.tag in {"div", "article"} and not any(map(is_block, element)):
            element.tag = "p"


def _is_around(element: HtmlElement) -> bool:
    names = " ".join(filter(None, map(element.get, ("class", "id", "role", "aria-label"))))
    is_holder = element.tag in {"div", "ul", "ol", "section", "span", "p"}
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


def _drop(elements: Iterable[HtmlElement]) -> None:
    for element in list(elements):
        if element.getparent() is not None:
            element.drop_tree()


def _outermost(group: list[HtmlElement]) -> list[HtmlElement]:
    inside = set(group)
    return [element for element in group if inside.isdisjoint(element.iterancestors())]


def _letters(element: HtmlElement) -> int:
    return count_letters(element.text_content())


def _size(posts: list[HtmlElement]) -> int:
    return sum(map(_letters, posts))
