"""The corpora file as data: reading and checking it (DESIGN 2.2). Loads neither torch nor fairseq."""

from skill_plugin.options.splits import SPLITS
from skill_plugin.spec.corpora_file import CorporaFile, parse_corpora_file, read_corpora_file
from skill_plugin.spec.corpus import Corpus, Source

__all__ = [
    "SPLITS",
    "CorporaFile",
    "Corpus",
    "Source",
    "parse_corpora_file",
    "read_corpora_file",
]
