"""The answers to the tools of `planbook mcp`: plans, pages, citations and searches as JSON.

Read ``base_answers`` first: a function for each tool. The base is that of one reader, and an answer
has at most the size that its caller asked for.

    base_answers    a function for each tool
    base_search     the answer to a search
    page_texts      the Markdown of pages in pieces, of which answers are made
    answer_size     how much of an answer fits
"""
