"""Builds of MkDocs sites made quicker, with the same files coming out. It knows nothing of plans.

:mod:`.inputs` digests what an output is made of, :mod:`.pages` renders a page once, :mod:`.workers` renders and builds
pages ahead on all cores, :mod:`.nav` renders the navigation once, :mod:`.search` reads pages for the search once,
:mod:`.outputs` leaves files alone that did not change, :mod:`.internals` has what all of them need of the internals of
MkDocs, Material, Jinja and Pygments. :mod:`.plugin` brings them together.

The rule of all of them: what is not sure to come out the same is made anew.
"""
