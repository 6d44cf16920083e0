"""The names under which averages over corpora are logged. A value of a corpus may not have such a name."""

AVERAGE, WORST, WEIGHTED = "avg", "worst", "weighted_avg"


def name_language_average(language: str) -> str:
    """The name of the mean over the corpora of one language."""
    return f"{AVERAGE}_{language}"
