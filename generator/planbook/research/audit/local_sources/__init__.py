"""Sources that lie beside a report: read `local_files` first.

::

    local_files     the files that a report cites
    saved_captures  pages of the web that are saved there
    bibliographies  those of the files that are in BibTeX and CSL JSON
    own_clone       files of the repository that the folder is in
"""
