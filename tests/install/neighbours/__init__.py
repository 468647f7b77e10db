"""The matrix of neighbours: sites beside the plugins that people use, after each kind of change.

`make neighbours` runs it. It needs a package registry, so it is no test of pytest's.

    projects   the rows: a site, plugins and hooks, usual combinations of them
    changes    what is done to a site between two builds
    compared   builds a row in each way, serves it, and says what differs
    builder    a process of the row's environment that forks for each build
    table      the Guide's table, from the lines of runs
"""
