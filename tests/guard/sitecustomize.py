"""Sets the guard in every Python that a test starts: `tests.conftest` puts this folder on their path."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

# Under the name that tests import it by, so that it is there once, also in a process that runs tests.
spec = spec_from_file_location("tests.guard.loopback_only", Path(__file__).with_name("loopback_only.py"))
assert spec
assert spec.loader
module = sys.modules[spec.name] = module_from_spec(spec)
spec.loader.exec_module(module)
module.install()
