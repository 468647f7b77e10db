"""A theme of tests."""

from __future__ import annotations

THEME = '{% extends "base.html" %}\n{% block content %}{{ super() }}<p>SHOWN</p>{% endblock %}\n'
