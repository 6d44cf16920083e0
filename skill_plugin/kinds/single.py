"""Kinds whose items are one sequence each, read from its first token."""

from __future__ import annotations

from skill_plugin.kinds.items import Items
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.sequences.joined_texts import JoinedTexts


class SingleItems(Items):
    """One to three texts, truncated to one sequence."""

    rule: JoinedTexts

    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        """One sequence."""
        kept = self.rule.kept([len(text) for text in row.texts])
        assembled = self.template.assemble([text[:length] for text, length in zip(row.texts, kept, strict=True)])
        return [EncodedSequence(assembled.tokens, assembled.token_types)]
