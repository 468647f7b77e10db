"""The file system and git: reads trees, writes files atomically. The only package that writes.

Trees, settings and the working folder are imported from here; the ledger, the lock and git, which only research needs,
from their modules.
"""

from generator.store.files import WORK_DIR as WORK_DIR
from generator.store.files import RefusedError as RefusedError
from generator.store.files import read_work as read_work
from generator.store.files import reading as reading
from generator.store.files import write_atomic as write_atomic
from generator.store.files import write_work as write_work
from generator.store.settings import Settings as Settings
from generator.store.settings import decode_page as decode_page
from generator.store.settings import file_stamps as file_stamps
from generator.store.settings import find_root as find_root
from generator.store.settings import markdown_files as markdown_files
from generator.store.settings import named_paths as named_paths
from generator.store.settings import plans_folder as plans_folder
from generator.store.settings import read_check_options as read_check_options
from generator.store.settings import read_page_bytes as read_page_bytes
from generator.store.settings import read_plan_paths as read_plan_paths
from generator.store.settings import read_plans as read_plans
from generator.store.settings import read_settings as read_settings
from generator.store.settings import read_tree as read_tree
