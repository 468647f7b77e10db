"""``python -m planbook``."""

from planbook.cli import main

main(prog_name="planbook")
