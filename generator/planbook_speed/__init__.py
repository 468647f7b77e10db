"""Faster builds of any MkDocs site, with identical output. Independent of plans.

All modules follow one rule: an output is made again unless it is certain to be identical. What
`mkdocs build --verbose` says of each page is in :mod:`.reasons`.

Everything that an output is made from is one of its *inputs*. All pages share some, and each page
has its own::

    what is made          shared inputs                            a page's own inputs
    a page, by events     plugin inputs    Reading.plugin_inputs   event inputs  .event_inputs
    its HTML              rendering inputs .rendering_inputs       its text, targets of its links
    its file in the site  template inputs  .template_inputs        own inputs    .own_inputs

An input is compared by its *digest* (`InputDigests` has them by the names that a verbose build
says), and all inputs of an output by its *key*, the digest of their digests. What the last build
has left is *previous*.

A build, event by event. What MkDocs does itself is in brackets::

    on_config        .plugin        open the cache; share the theme's compiled templates
    on_pre_build     .build_setup   BuildSetup: load the record of the last build, move its files
                                    aside; .build begins with it
    [MkDocs empties the site's folder, lists the files and makes the navigation.]
    on_nav           .reading       Reading: reuse each page whose events would do the same again;
                                    workers read, render and index the others (.ahead)
    [MkDocs reads and renders each page.]
                     .cached_page   CachedPage: takes its HTML from the cache (.page_renderer)
    on_env           .writing       Writing: compare what all templates read (TemplateInputs);
                                    a first build: workers build the pages that have changed
                                    a save: build the pages of saved files now
    [MkDocs copies static files.]
                     .site_files    SiteFiles.copy_file: move an unchanged file back
    [MkDocs builds each page, in three steps:]
    on_page_context  .reload        after a save, at the first page: ChangedPages.show
    [template]       .templates     the page's template asks PageOutputs, before it renders
                     .page_outputs  PageOutputs.render: decide (Decision), then carry it out
    on_post_page     .page_outputs  PageOutputs.finish: compare what other plugins made of it
    on_post_build    .site_files    first listener: move the other unchanged files back
                     .build         last listener: record this build for the next one

A save while serving, from the editor to the browser::

    .watch       WokenEmitter              the system reports a change: look for it at once
    [MkDocs]     LiveReloadServer          begins a build, as above, in the Session of the last one
    .writing     _build_changed_pages      the saved pages are built before all others
    [MkDocs]                               copies static files, begins with the first page
    .reload      ChangedPages.show         all files are in their places again, those pages anew;
                 EarlyReload               browsers reload; a request for the search waits
    [MkDocs]                               builds each page in its turn, most of them by no work
    .reload      ChangedPages.end          requests for the search are answered; if a page is
                                           another than shown, browsers reload again

Where to begin: :mod:`.plugin` for the events, then :mod:`.build` with its two stages. A page goes
through three decisions, each of which takes the last build's work or has it done again. A verbose
build says the reason in the words of :mod:`.reasons`, which come from these places, in order::

    read again       all events run           each page at `on_nav`
        every page: nothing is cached         Reading.begin
        every page: a listener is unknown     Reading._why_none_is_reused
        what it is read from has no digest    read_event_inputs
        something it is read from changed     Reading._decide, _what_changed
        its HTML is lost, a link leads away   Renderer.why_not_reused
    rendered again   Markdown becomes HTML    each page that is read, when MkDocs renders it
        its text after the events is new      Renderer.render
    built again      the template runs        each page, when MkDocs builds it
        every page: templates read anything   Writing._render_all_pages (which has them read, too)
        something its template reads changed  PageOutputs._decide_by_own_inputs
    given to plugins again                    a plugin changes what came of the template before
        it is taken from the cache            PageOutputs._decide_with_plugin
    reused           no work is done          each page, when MkDocs builds it
        its events' inputs are the same       PageOutputs._reuse_by_event_inputs
        all its template reads is the same    PageOutputs._decide_by_own_inputs

A plugin may say more of pages that it writes itself: Planbook's says ``generated again``.
So a page that is read again is rendered again only if its text is another one, and built again only
if something that its template reads is. Where no line says that a page is read or rendered again,
the last build's work was taken; each page has a line on how it was built, or reused. What all pages
share is named in a line of its own, as all are done again for it (`Reading._say_what_all_share`,
`PageOutputs.say_what_all_share`). A server builds the pages that are read again before all others;
the reason is that of this first time.

Then :mod:`.page_renderer`, which draws the forms of a page, and :mod:`.site_files`: they have what
is reused. The rest is used by these:

- :mod:`.page_html` has the HTML of pages, and :mod:`.page_records` pages as they are kept.
- :mod:`.session` has what a server keeps between builds, :mod:`.kept_pages` the pages of them.
- :mod:`.event_inputs`, :mod:`.rendering_inputs`, :mod:`.template_inputs` and :mod:`.own_inputs`
  have the inputs, as :mod:`.digests` of values; :mod:`.listeners` has what plugins may do to an
  output, and :mod:`.protocols` how plugins declare that.
- :mod:`.search_index`, :mod:`.cached_navigation`, :mod:`.templates` and :mod:`.highlighting` each
  keep one part of a site: entries of the search index, the navigation, compiled templates,
  highlighted code. :mod:`.search_sections` parses pages for the index.
- :mod:`.logs` has records of the log. The disk cache and the forked processes are in
  :mod:`planbook_cache`.
- :mod:`.internals` has the private parts of MkDocs that are used, each with a check and a fallback.

No function of another package is replaced for all that call it. These are replaced in one object,
in :mod:`.internals`: the class of a page and of the server's emitters, `copy_file` of a static
file, `get_env` of the theme, and listeners in a build's list of events. In public ways, a build
sets the template class, the context class and the filter `url` of its environment of templates, the
index of Material's search, and the application of the server. Python's garbage collector and its
switch interval are set for the whole process.
"""
