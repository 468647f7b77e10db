"""The linter for plans and pages: what `planbook check` says. Rules are pure; only `languages` runs other programs."""
