"""The sources that are about the subject of a page, by names and words."""

from __future__ import annotations

from dataclasses import replace

from planbook.research.drafts import Source
from planbook.research.evidence.rank import find_evidence
from planbook.research.evidence.subject import subject_words
from tests.research.documents import document
from tests.research.evidence.outlines import outline, page


def test_another_product_is_no_answer() -> None:
    """A document that a search found counts if it is about the page's subject; one that somebody chose always does."""
    text = "A queue keeps its messages until a consumer acknowledges each of them."
    other = replace(page(1, "# KiwiMQ\n\n" + text), queries=("queues",))
    own = replace(page(2, "# RabbitMQ\n\nA durable queue keeps its messages in RabbitMQ."), queries=("queues",))
    wanted = outline(("Queues", ["how a queue keeps messages"]), title="Queues in RabbitMQ")
    (row,) = find_evidence(wanted, (other, own))
    assert {one.excerpt.source for one in row.ranked} == {"source-2"}
    (row,) = find_evidence(wanted, (replace(other, queries=()), own))
    assert {one.excerpt.source for one in row.ranked} == {"source-1", "source-2"}
    of_the_folder = document(other.fetched.text, url="file:///documents/kiwi.md", name="source-1")
    (row,) = find_evidence(wanted, (replace(of_the_folder, queries=("queues",)), own))
    assert {one.excerpt.source for one in row.ranked} == {"source-1", "source-2"}, "it is in a small folder"
    (row,) = find_evidence(wanted, (other,))
    assert row.is_found, "without any document on the subject, all count"


def test_the_own_manual_need_not_repeat_the_product_on_each_page() -> None:
    """What all queries share is asked of the web only; a name in the title, of all but a small folder."""
    text = "Upgrade the servers of a cluster one at a time, and wait until each of them is healthy again."
    own = replace(document(text, url="file:///documents/upgrade.md", name="own"), queries=("kiwimq upgrade",))
    web = replace(page(1, text), queries=("kiwimq upgrade",))
    about = replace(page(2, "A cluster of KiwiMQ has servers."), queries=("kiwimq upgrade",))
    queries = ("kiwimq upgrade", "kiwimq cluster")
    points = ("Operation", ["In which order to upgrade the servers of a cluster"])
    (row,) = find_evidence(outline(points, title="Clusters", queries=queries), (own, about))
    assert row.ranked[0].excerpt.source == "own"
    (row,) = find_evidence(outline(points, title="Clusters", queries=queries), (web, about))
    assert {one.excerpt.source for one in row.ranked} == {"source-2"}
    folder = [
        replace(own, id=f"own-{n}", fetched=replace(own.fetched, url=f"file:///documents/{n}.md")) for n in range(13)
    ]
    wanted = outline(points, title="Clusters of KiwiMQ", queries=queries)
    (row,) = find_evidence(wanted, (*folder, about))
    assert {one.excerpt.source for one in row.ranked} == {"source-2"}
    (row,) = find_evidence(wanted, (own, about))
    assert {one.excerpt.source for one in row.ranked} == {"own", "source-2"}, "a small folder was chosen as a whole"


def test_a_page_of_a_manual_need_not_name_the_product_of_the_title() -> None:
    """If half of its folder does, it counts; a page of another product's folder does not."""

    def own(path: str, text: str) -> Source:
        found = document(text, url=f"file:///documents/{path}", name=path.replace("/", "-"))
        return replace(found, queries=("kiwimq failover",))

    text = "After a failover the new primary takes over, and the old one follows it.\n"
    manual = [own(f"kiwi-mq/{n}.md", f"# KiwiMQ: step {n}\n\nKiwiMQ has queues.") for n in range(12)]
    answer = own("kiwi-mq/failover.md", f"# Failover\n\n{text}")
    other = own("owlproxy/failover.md", f"# Owls\n\n{text}")
    loose = own("failover.md", f"# Failing over\n\n{text}")
    wanted = outline(("Faults", ["what the old primary does after a failover"]), title="Failover of KiwiMQ")
    (row,) = find_evidence(wanted, (*manual, answer, other, loose))
    assert [one.excerpt.source for one in row.ranked] == ["kiwi-mq-failover.md"]


def test_in_a_folder_on_several_products_those_of_the_subject_come_first() -> None:
    """The queries name the product, and its folder does, though not each of its pages; others are not left out."""

    def own(path: str, text: str) -> Source:
        found = document(text, url=f"file:///documents/{path}", name=path.replace("/", "-"))
        return replace(found, queries=("kiwimq queue",))

    other = [own(f"owlproxy/{n}.md", "# OwlProxy\n\nThe router with the longest rule wins.") for n in range(9)]
    answer = own("kiwimq/rules.md", "# Rules\n\nIf none is set, the weight of a rule is its length.")
    asks = own("owlproxy/rank.md", "# OwlProxy\n\nThe weight of a rule is computed from its words, if none is set.")
    manual = [own(f"kiwimq/{n}.md", f"# KiwiMQ: step {n}\n\nKiwiMQ has queues.") for n in range(6)]
    queries = ("kiwimq rule weight", "kiwimq queue", "kiwimq dead letters")
    wanted = outline(("Rules", ["How the weight of a rule is computed if none is set"]), title="Rules", queries=queries)
    (row,) = find_evidence(wanted, (*other, asks, answer, *manual))
    assert row.ranked[0].excerpt.source == "kiwimq-rules.md"
    assert row.ranked[0].factor == 1
    assert "owlproxy-rank.md" in {one.excerpt.source for one in row.ranked}
    plain = outline(("Rules", ["How the weight of a rule is computed if none is set"]), title="Rules")
    (row,) = find_evidence(plain, (*other, asks, answer, *manual))
    assert row.ranked[0].excerpt.source == "owlproxy-rank.md", "nothing tells the subject"


def test_the_subject_of_a_page() -> None:
    """The names in its title, and what most of its queries share."""
    assert subject_words(outline(title="Seeking in FFmpeg")) == {"ffmpeg"}
    queries = ("nginx proxy timeout", "nginx buffering", "worker processes of nginx", "upstream keepalive")
    assert subject_words(outline(title="Timeouts", queries=queries)) == {"nginx"}
    assert subject_words(outline(title="Timeouts", queries=("nginx proxy timeout",))) == set()
