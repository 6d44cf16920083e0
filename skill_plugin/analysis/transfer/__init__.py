"""What a task embedding of other corpora is worth to one."""
