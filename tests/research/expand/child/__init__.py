"""What is put under a command that a test starts: names of hosts, a trace of what it does, and where it dies."""
