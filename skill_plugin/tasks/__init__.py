"""The task as fairseq knows it. fairseq imports this folder for ``--user-dir``, which registers everything else too."""

from skill_plugin import compat

compat.install()

import skill_plugin.criterions.multitask_cross_entropy  # noqa: E402
import skill_plugin.criterions.multitask_r3f  # noqa: E402
import skill_plugin.models.skill_encoder  # noqa: E402
import skill_plugin.optim.adafactor  # noqa: E402
import skill_plugin.optim.skill_adam  # noqa: E402
import skill_plugin.tasks.multilingual_multitask  # noqa: E402, F401
