"""The file system and git: reads trees, writes files atomically. The only package that writes.

Trees, settings and the working folder are imported from here. Read ``settings`` first: what
``mkdocs.yml`` says. Then ``trees``, the plans, drops and pages that it names, and ``files``, which
reads and writes.

::

    settings    a project's settings, from its mkdocs.yml
    trees       its plans, drops and pages
    options     the table of the plugin's options
    blogs       the folders of Material's plugin `blog`
    scan        lists a folder, and what cannot be read in it
    files       writes atomically; reads and writes the working folder
    output      the files that `planbook materialize` reads and writes
    report_changes  changes to the report of `planbook verify`
    cited_files  the state on disk of documents that pages cite
    working_tree  the files of the repository that the base is in
"""

from planbook.store.files import WORK_DIR as WORK_DIR
from planbook.store.files import RefusedError as RefusedError
from planbook.store.files import read_work as read_work
from planbook.store.files import reading as reading
from planbook.store.files import write_atomic as write_atomic
from planbook.store.files import write_work as write_work
from planbook.store.settings import Settings as Settings
from planbook.store.settings import find_root as find_root
from planbook.store.settings import plans_folder as plans_folder
from planbook.store.settings import read_check_options as read_check_options
from planbook.store.settings import read_plan_paths as read_plan_paths
from planbook.store.settings import read_settings as read_settings
from planbook.store.settings import read_site_dir as read_site_dir
from planbook.store.trees import decode_page as decode_page
from planbook.store.trees import file_stamps as file_stamps
from planbook.store.trees import markdown_files as markdown_files
from planbook.store.trees import missing_plans as missing_plans
from planbook.store.trees import named_paths as named_paths
from planbook.store.trees import publish_tree as publish_tree
from planbook.store.trees import read_page_bytes as read_page_bytes
from planbook.store.trees import read_plans as read_plans
from planbook.store.trees import read_tree as read_tree
