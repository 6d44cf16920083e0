"""``python -m skill_plugin VERB``: the same as the console script ``skill-plugin``."""

from skill_plugin.cli.main import main

if __name__ == "__main__":
    main()
