"""Builds of MkDocs sites made quicker, with the same files coming out. It knows nothing of plans.

Each room does one part: :mod:`generator.cache` keeps what was made before, :mod:`.fingerprint` and :mod:`.versions` say
what a thing is made of, :mod:`.pages` renders a page once, :mod:`.workers` renders pages ahead on all cores,
:mod:`.nav` renders the navigation once, :mod:`.sections` and :mod:`.search` read pages for the search once,
:mod:`.previous_output` and :mod:`.outputs` leave alone what did not change. :mod:`.plugin` brings them together.

The rule of all of them: what is not sure to come out the same is made anew.
"""
