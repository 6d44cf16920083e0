"""Raw formats to examples, one file for each format. Loads neither torch nor fairseq."""

from skill_plugin.readers.read_split import Example, Fault, Split, corpus_labels, read_split

__all__ = ["Example", "Fault", "Split", "corpus_labels", "read_split"]
