"""Faster builds of any MkDocs site, with identical output. Independent of plans.

:mod:`.inputs` computes digests of the inputs of each output, :mod:`.pages` caches rendered pages, :mod:`.workers`
renders pages ahead on all cores, :mod:`.nav` caches the navigation, :mod:`.search` caches search entries,
:mod:`.outputs` reuses unchanged files of the last build, :mod:`.internals` contains everything that depends on
internals of MkDocs, Material, Jinja and Pygments. :mod:`.plugin` connects them.

All of them follow one rule: an output is rendered again unless it is certain to be identical.
"""
