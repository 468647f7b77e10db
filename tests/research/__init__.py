"""The code that needs the extra `research`. Runs, searches and the web have folders of their own beside this one."""
