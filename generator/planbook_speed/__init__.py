"""Faster builds of any MkDocs site, with identical output. Independent of plans.

:mod:`.plugin` has the work in each event and the forked workers, :mod:`.pages` caches rendered pages, :mod:`.search`
caches search entries, :mod:`.outputs` reuses unchanged files of the last build and caches the navigation, :mod:`.watch`
notices saved files, :mod:`.highlighting` keeps highlighted code, :mod:`.internals` has everything that depends on
internals of other packages; no function of theirs is replaced. All follow one rule: an output is rendered again unless
it is certain to be identical. :mod:`.protocols` has the interfaces that other plugins may implement; :mod:`.cache` and
:mod:`.work` have the disk cache and the forked processes, which planbook uses.
"""
