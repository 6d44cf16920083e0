"""Reads raw files into examples, one file for each format. Loads neither torch nor fairseq."""

from skill_plugin.readers.example import Answer, Example, Fault
from skill_plugin.readers.read_split import find_labels, read_split
from skill_plugin.readers.split_data import SplitData

__all__ = ["Answer", "Example", "Fault", "SplitData", "find_labels", "read_split"]
