"""Modes of files hold for these tests, also for root."""

from __future__ import annotations

import ctypes
import os


def obey_modes() -> None:
    """Take root's right to write everywhere, which it has whatever a folder's mode says (`man 7 capabilities`)."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(24, 1)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE: it ends with the program that is started
