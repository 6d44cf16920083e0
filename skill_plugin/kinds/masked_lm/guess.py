"""Whether a sample looks like raw text."""

from __future__ import annotations

from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.labels import ANSWERS, choose_label, columns_beside
from skill_plugin.guessing.sample import Sample
from skill_plugin.guessing.texts import choose_texts

_OTHER = "next_sentence is the other kind for raw text, where documents have several sentences"


def guess_masked_lm(sample: Sample) -> KindGuess | None:
    """Texts without anything that may be an answer."""
    if sample.running:
        if not sample.commented:
            return None
        return KindGuess({}, 0.5, "comments '# text =' give sentences", skills=("token",), doubts=[_OTHER])
    if choose_label(sample) is not None or any(column.is_called(*ANSWERS) for column in sample.columns):
        return None
    texts = choose_texts(sample)
    if texts is None or (len(texts.columns) > 1 and not _is_document(sample)):
        return None
    best = max(
        (column for column in sample.columns if column.is_text), key=lambda column: column.mean_length, default=None
    )
    if best is None:
        return None
    why = "texts, and no column that may be an answer"
    beside = ", ".join(repr(column.reference) for column in columns_beside(sample))
    doubts = [f"{beside} may be labels, and the kind classification"] if beside else []
    if listed := [repr(one.reference) for one in sample.columns if one is not best and one.lists]:
        why = "texts, and no column with one answer for each"
        doubts.append(f"lists in {', '.join(listed)} are not used, and may be answers")
    return KindGuess({"text": best.reference}, 0.6, why, skills=("token",), doubts=[*doubts, _OTHER])


def _is_document(sample: Sample) -> bool:
    """Whether texts are a title and what it is of."""
    return sample.called("title", "url", "headline") is not None
