"""The only package that parses Markdown.

Read ``document`` first: a page with its links and code; then ``syntax``, the tree of a text. A plan
has ``plan_blocks``. ``front_matter`` reads what is above the text, and ``edits`` changes a text by
offsets.

The syntax of others::

    extensions     blocks whose content is not Markdown for us
    dialects       many dialects as CommonMark, line by line
    vault          notes of Obsidian
    github         pages by CommonMark's rules, as on GitHub
    lists          lists and fences as Python-Markdown requires them
    normalize      Markdown of GitHub, for Python-Markdown
    callout_text   callouts as paragraphs, since their words are the page's
    elements       names for the elements of a page, for assistive software
    row_ids        ids for the rows of tables of messages

Pieces of text::

    escape         text of others, shown verbatim
    safe_markdown  text of plans, with its basic formatting
    plain_text     lines as plain text
    words          words and sentences
    budgets        ``(~400 lines)``
"""
