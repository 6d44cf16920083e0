"""Registers the task, model, architectures, criterions and optimizer with fairseq, whoever imports first.

fairseq registers nothing for ``--user-dir`` when a module of the package was imported before, so programs that are not
fairseq's import this module instead.
"""

from skill_plugin import compat

compat.install()

import skill_plugin.criterions.multitask_cross_entropy  # noqa: E402
import skill_plugin.criterions.multitask_r3f  # noqa: E402
import skill_plugin.models.skill_encoder  # noqa: E402
import skill_plugin.optim.skill_adam  # noqa: E402
import skill_plugin.tasks.multilingual_multitask  # noqa: E402, F401
