"""Error rates on public sets, beside the published ones.

Nothing is downloaded or kept: each set is read from the folder that the command line names. ``dev`` is what we tune
on; ``held-out`` is what we do not look at while we tune.
"""
