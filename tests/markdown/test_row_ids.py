"""The ids of the rows of tables of messages."""

from planbook.markdown.row_ids import add_row_ids, row_id

HEAD = '<table><thead><tr><th id="{id}" class="{kind}">Message</th></tr></thead><tbody>'
ROWS = "<tr><td>a</td></tr><tr><td>b</td></tr></tbody></table>"


def test_each_row_of_a_table_of_messages_has_an_id() -> None:
    """The first below the head has the number 1; other tables stay as they are."""
    messages = HEAD.format(id="errors", kind="messages") + ROWS
    other = HEAD.format(id="other", kind="plain") + ROWS
    html = add_row_ids(f"<p>x</p>{messages}<p>y</p>{other}")
    assert html == f"<p>x</p>{messages}<p>y</p>{other}".replace(
        "<tbody><tr><td>a</td></tr><tr>",
        f'<tbody><tr id="{row_id("errors", 1)}"><td>a</td></tr><tr id="{row_id("errors", 2)}">',
        1,
    )


def test_html_without_such_a_table_stays() -> None:
    """Not a byte changes."""
    html = HEAD.format(id="other", kind="plain") + ROWS
    assert add_row_ids(html) == html
