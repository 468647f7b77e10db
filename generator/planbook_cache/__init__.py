"""Results that are computed once: a disk cache, and the pure functions whose results it keeps.

Both `planbook` and `planbook_speed` import it, and it imports neither. It knows nothing of sites,
pages or plans: only of functions, their arguments, and MessagePack.

Where to begin: :mod:`.functions`. `FunctionCache` is what a pure function asks for results, and
calls everything (`NO_CACHE`) unless it is a `DiskFunctionCache`. That one finds a result by the
digest of the function's name, its arguments and the code::

    functions   FunctionCache, DiskFunctionCache: which results are there, and which are made
    versions    code_version: the code, Python and the packages that a result depends on
    disk        DiskCache: entries by their digests, in the files of each process
    entries     an entry's bytes: pack, unpack; digest_of any values
    workers     start_forked: many missing results are made in forked processes
"""
