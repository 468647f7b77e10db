"""Words that look like secrets, and are none."""

from __future__ import annotations

BY_CHANCE = "Zq7Lw0Xk2Vd9Rb4Tn6Hs8Mf3Yc5Jp1Ga"
"""Letters and digits as a program draws them."""
