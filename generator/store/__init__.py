"""The file system and git: reads trees, writes files atomically. The only package that writes.

Trees, settings and the working folder are imported from here; the ledger, the lock and git, which only research needs,
from their modules.
"""

from generator.store.files import WORK_DIR, RefusedError, read_work, write_atomic, write_work
from generator.store.settings import (
    Settings,
    decode_page,
    file_stamps,
    find_root,
    markdown_files,
    named_paths,
    plans_folder,
    read_check_options,
    read_plan_paths,
    read_plans,
    read_settings,
    read_tree,
)

__all__ = [
    "WORK_DIR",
    "RefusedError",
    "Settings",
    "decode_page",
    "file_stamps",
    "find_root",
    "markdown_files",
    "named_paths",
    "plans_folder",
    "read_check_options",
    "read_plan_paths",
    "read_plans",
    "read_settings",
    "read_tree",
    "read_work",
    "write_atomic",
    "write_work",
]
