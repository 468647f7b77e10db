"""Faster builds of any MkDocs site, with identical output. Independent of plans.

:mod:`.plugin` has the work in each event and the forked workers, :mod:`.pages` caches rendered
pages, :mod:`.search` caches search entries, :mod:`.outputs` reuses unchanged files of the last
build and caches the navigation, :mod:`.watch` notices saved files and :mod:`.reload` shows them,
:mod:`.highlighting` keeps highlighted code, :mod:`.digests` has what output depends on, and
:mod:`.internals` the private parts of MkDocs that are used, each with a check and a fallback; no
function of other packages is replaced. All follow one rule: an output is rendered again unless it
is certain to be identical. :mod:`.protocols` has the interfaces that other plugins may implement;
:mod:`.cache` and :mod:`.work` have the disk cache and the forked processes, which planbook uses.
"""
