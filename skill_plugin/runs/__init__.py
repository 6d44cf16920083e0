"""Programs that are run in processes of their own, with their output in a log."""
