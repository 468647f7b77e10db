"""The works that pages of the base cite: lists, downloads, and the references below a page.

Read ``works`` first: the works of the base, each once, and the files that are made of them.

    works           the works that the base cites, and the downloads of all of them
    work_groups     works by kind and organisation, and those that are quoted most
    csl, bibtex     works in the formats of programs that manage references
    sources         the page of all works, and numbered pages of them
    reference_list  the works below a page
    quoted          quotes of Markdown, as they look to a reader
    quote_links     the addresses of quotes in their works
    document_pages  local documents that pages cite
    html_text       the text of an HTML document
"""
