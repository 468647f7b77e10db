"""Questions that documents answer, and such as none does."""

from __future__ import annotations

DOCUMENTS = {
    "wal.md": (
        "# Write-ahead logging\n\nwal_checkpoint has four modes: PASSIVE, FULL, RESTART and TRUNCATE.\n\n"
        "A checkpoint runs by itself when the log has 1000 pages.\n\n## Files\n\n"
        "A database in WAL mode has two more files, with the suffixes -wal and -shm.\n"
    ),
    "backup.md": (
        "# Backups\n\n## How to back up safely: use VACUUM INTO\n\n"
        "`VACUUM INTO 'copy.db'` writes a consistent copy while others read and write.\n"
    ),
    "pragma.md": (
        "# Pragmas\n\nsynchronous = NORMAL is safe in WAL mode and syncs only at checkpoints. "
        "A reader holds the log back: a long query lets the -wal file grow without limit.\n"
    ),
}


ANSWERED = {
    "Which checkpoint modes exist": "four modes",
    "How to back up safely": "VACUUM INTO",
    "Which files belong to a database in WAL mode": "suffixes",
    "What synchronous = NORMAL means in WAL mode": "syncs only at checkpoints",
    "Why the WAL file grows": "holds the log back",
}


NONSENSE = (
    "Which modes of transport a reader pages at a hotel",
    "The price of a commit in euros",
    "Suffixes of the passive synchronous database limit",
)
