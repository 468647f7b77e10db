"""Views: values to Markdown and HTML. One pure function per view; HTML is in templates.

Read ``top_views`` first: the pages that every site has, with the view of each. Then ``generated``,
which lists all others, and one view, such as ``overview``.

The pages of the site::

    top_views       the table of the views at the top
    generated       a page for each folder and PART without one; the link graph
    folders         the folders of the base with their pages, for INDEX and navigation
    index           INDEX, that of each folder, and the page of tags
    page_heads      the front matter of generated pages
    navigation      the tree of folders, in the author's navigation
    home            the home page: what is new, and what comes next
    messages        the index of error messages
    reports         the reports of runs, a page for each plan
    written         how many of the planned pages are written, in words
    overview        what is here, what is new and what is open, for readers
    progress        the state of each PART, as a page and as JSON
    bibliography/   the works that the base cites: Sources, downloads, the references of a page
    trust           how many works were checked, and pages reviewed
    checks          the results of `planbook verify`, for the pages that show them
    statements      who wrote and reviewed a page, and what was verified
    search          the index for readers' search, to which ``cards`` adds error messages
    frame           the HTML around the text of a page: above, below, and in the head

The base for programs and other engines::

    agents          Markdown twins of pages, and llms.txt
    answers/        the answers to the tools of `planbook mcp`
    portable        plain Markdown, a file for each page
    skill           INDEX.md and SKILL.md in the repository

``template`` renders the templates, and has the labels and figures that several views share.
"""
