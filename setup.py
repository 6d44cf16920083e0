"""How the package is installed; what the scripts install is pinned in constraints.txt."""

import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent
README = HERE / "README.md"
VERSION = next(
    line.split('"')[1]
    for line in (HERE / "skill_plugin" / "__init__.py").read_text(encoding="utf-8").splitlines()
    if line.startswith("__version__")
)


def long_description() -> str:
    """The README for an index of packages, where neither its picture nor the pages that it links to are.

    A link to a file of the repository becomes its text; links to other sites stay.
    """
    if not README.exists():
        return ""
    text = re.sub(r"^!\[[^]]*\]\((?!https?:)[^)]*\)\n\n", "", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


setup(
    name="skill-plugin",
    version=VERSION,
    description="One multilingual encoder for many NLU corpora at once, trained with fairseq",
    long_description=long_description(),
    long_description_content_type="text/markdown",
    author="The skill_plugin authors",
    license="MIT",
    license_files=["LICENSE"],
    classifiers=[
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Typing :: Typed",
    ],
    packages=find_packages(include=["skill_plugin", "skill_plugin.*"]),
    package_data={"skill_plugin": ["py.typed", "pipeline/presets/*", "serving/page/*", "report/page/templates/*"]},
    python_requires=">=3.11",
    install_requires=[
        "torch>=2.6",  # the first that loads with weights_only=True by default
        "numpy>=2",
        "sentencepiece>=0.2",
        "protobuf",  # the release that sentencepiece's schema of models asks for
        "tokenizers>=0.21",
        "safetensors>=0.5",
        "pyyaml>=6",
        "pydantic>=2",
        "click>=8.1",
        "rich>=13",
        "scikit-learn>=1.5",
        "scipy>=1.13",
        "matplotlib>=3.9",
        "jinja2>=3.1",
        "sentencex>=1.0",
        "langcodes>=3.5",
        "regex>=2024.11",
        "py3langid>=0.4",
    ],
    extras_require={
        "train": [
            "ve-fairseq==0.12.3",  # its only release; drags torchaudio in: see scripts/setup.sh
            "hydra-core>=1.3.2,<1.4",  # 1.4 removes what fairseq calls
            "omegaconf>=2.3,<2.4",  # 2.3 is what was tested
        ],
        "formats": ["pyarrow>=18", "openpyxl>=3.1", "backports.zstd>=1.0"],
        "export": ["transformers>=5", "onnx>=1.17", "onnxruntime>=1.19"],  # the first for numpy 2
        "serve": ["fastapi>=0.115", "uvicorn>=0.34", "prometheus-client>=0.21"],
        "test": [
            "pytest>=8",
            "httpx>=0.28",
            "hypothesis>=6.100",
            "transformers>=5",
            "accelerate>=1.1",  # for transformers' Trainer, which scripts/bench.py compares with
            "seqeval>=1.2.2",
            "pytest-xdist>=3.6",
        ],
        "dev": ["ruff>=0.9", "mypy>=1.15", "import-linter>=2.3", "types-PyYAML", "pre-commit>=4"],
        "docs": ["mkdocs>=1.6", "mkdocs-material>=9.6", "mkdocstrings-python>=1.16"],
    },
    entry_points={"console_scripts": ["skill-plugin = skill_plugin.cli.main:main"]},
)
