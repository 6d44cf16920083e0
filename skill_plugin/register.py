"""Registers the task, model, architectures, criterions and optimizer with fairseq, whoever imports first.

fairseq registers nothing for ``--user-dir`` when a module of the package was imported before, so programs that are not
fairseq's import this module instead.
"""

from importlib.util import find_spec

for _library in ("fairseq", "hydra", "omegaconf"):
    if find_spec(_library) is None:
        raise ModuleNotFoundError(
            f"training needs {_library}, which a plain installation of skill_plugin leaves out: "
            "pip install '.[train]' in the folder of its source",
            name=_library,
        )

import skill_plugin.tasks  # noqa: E402, F401
