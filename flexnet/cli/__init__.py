"""The command line: one file per verb, each thin; what it needs is imported when it runs."""
