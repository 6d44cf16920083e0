"""The task as fairseq knows it. fairseq imports this folder for ``--user-dir``, which registers everything else too."""

import skill_plugin.register  # noqa: F401
