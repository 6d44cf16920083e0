"""The verbs of ``skill-plugin``, one file each."""
