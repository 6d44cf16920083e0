"""Raw formats to examples, one file for each format. Loads neither torch nor fairseq."""

from skill_plugin.readers.example import Answer, Example, Fault, Split
from skill_plugin.readers.read_split import corpus_labels, read_split

__all__ = ["Answer", "Example", "Fault", "Split", "corpus_labels", "read_split"]
