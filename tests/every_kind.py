"""A corpus of every kind, made of random texts, in a data folder, and a model with random weights for them all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from skill_plugin.api import Model
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.data.corpus_examples import CorpusExamples, corpus_examples, corpus_reading
from skill_plugin.kinds.items import CorpusReading, Items
from skill_plugin.kinds.registry import every_own_option, kind_named
from skill_plugin.nn.heads.head_spec import HeadSpec
from skill_plugin.readers.example import Example
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.readers.split_data import SplitData
from skill_plugin.spec import parse_corpora_file
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.corpus_store import read_corpus_facts, read_corpus_labels
from skill_plugin.store.encode import EncodingPool
from skill_plugin.store.write_corpus import PreparedSplit, write_corpus
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text_to_text.make_items import make_items
from skill_plugin.variants.encoder_shape import EncoderShape

CORPORA = {
    "one": "kind: classification, language: en, labels: [b, a, c], columns: {text_a: a, label: l}",
    "pair": "kind: classification, language: de, labels: [b, a], columns: {text_a: a, text_b: b, label: l}",
    "topics": "kind: multilabel, language: en, labels: [x, y, z], columns: {text_a: a, text_b: b, label: l}",
    "score": "kind: regression, language: en, columns: {text_a: a, text_b: b, score: s}",
    "choice": "kind: ranking, language: en, columns: {text_a: a, choices: c, label: l}",
    "search": "kind: ranking, loss: listwise, metric: ndcg, language: en, "
    "columns: {text_a: a, question: q, choices: c, label: l}",
    "grade": "kind: ranking, loss: graded, metric: ndcg, grades: 3, language: en, "
    "columns: {text_a: a, choices: c, label: l}",
    "tags": "kind: labelling, language: en, labels: [O, B-X, I-X, B-Y], columns: {token: t, tag: g}",
    "signs": "kind: labelling, language: zh, labels: [A, N], metric: accuracy, columns: {token: t, tag: g}",
    "span": "kind: span, language: en, columns: {question: q, context: c, answers: a}",
    "wic": "kind: word_in_context, language: en, labels: ['F', 'T'], "
    "columns: {text_a: a, text_b: b, word_a: v, word_b: w, start_a: s, start_b: t, label: l}",
    "wsc": "kind: word_in_context, language: en, labels: ['F', 'T'], "
    "columns: {text_a: a, word_a: v, word_b: w, start_a: s, start_b: t, label: l}",
    "mlm": "kind: masked_lm, language: de, columns: {text: t}",
    "nsp": "kind: next_sentence, language: en, columns: {text: t}",
}
TEXT = "the cat sat mat dog der Hund läuft über Straße 北京 天气 🙂 12345 A, el. niño manzana awake? text"
WORDS = TEXT.split()


def text(random: np.random.Generator, least: int = 0, most: int = 12) -> str:
    return " ".join(random.choice(WORDS, int(random.integers(least, most + 1))))


def example(name: str, random: np.random.Generator, words: int = 12) -> Example:
    """A random item of a corpus, with an answer."""
    made = Example((text(random, 0, words),), None, "file", 1)
    match name:
        case "one":
            return made._replace(answer=str(random.choice(["a", "b", "c"])))
        case "pair":
            return made._replace(texts=(*made.texts, text(random, 0, words)), answer=str(random.choice(["a", "b"])))
        case "topics":
            labels = tuple(label for label in "zxy" if random.random() < 0.5)
            return made._replace(texts=(*made.texts, text(random, 0, words)), answer=labels)
        case "score":
            return made._replace(texts=(*made.texts, text(random, 0, words)), answer=float(random.integers(0, 11)) / 2)
        case "choice" | "search" | "grade":
            count = int(random.integers(1, 6))
            candidates = tuple(text(random, 0, words) for _ in range(count))
            relevance = tuple(int(n) for n in random.integers(0, 3, count))
            texts = (*made.texts, text(random)) if name == "search" else made.texts
            return made._replace(texts=texts, answer=relevance, candidates=candidates)
        case "tags" | "signs":
            tokens, joint = text(random, 0, words).split(), " " if name == "tags" else ""
            tokens = tokens if name == "tags" else list("".join(tokens))
            starts = np.cumsum([0] + [len(token) + len(joint) for token in tokens])
            places = tuple((int(at), int(at) + len(token)) for at, token in zip(starts, tokens, strict=False))
            tags = ["O", "B-X", "I-X", "B-Y", "B-new"] if name == "tags" else ["A", "N"]
            answer = tuple(str(tag) for tag in random.choice(tags, len(tokens)))
            return made._replace(texts=(joint.join(tokens),), words=places, answer=answer)
        case "span":
            context = text(random, 1, words)
            start = int(random.choice([i for i, c in enumerate(context) if c != " "]))
            answer = ((start, context[start : start + int(random.integers(1, 9))].rstrip()),)
            return made._replace(texts=(text(random, 0, words), context), answer=answer if start % 4 else ())
        case "wic" | "wsc":
            texts = tuple(text(random, 1, words) for _ in range(2 if name == "wic" else 1))
            spans = tuple((i, *_word(texts[i], random)) for i in (0, len(texts) - 1))
            return made._replace(texts=texts, spans=spans, answer=str(random.choice(["T", "F"])))
        case "nsp":
            return made._replace(texts=tuple(text(random, 1, words) for _ in range(int(random.integers(1, 6)))))
    return made


def _word(text: str, random: np.random.Generator) -> tuple[int, int]:
    words = text.split(" ")
    number = int(random.integers(len(words)))
    start = sum(len(word) + 1 for word in words[:number])
    return start, start + len(words[number])


def examples(name: str, count: int, seed: int = 0, words: int = 12) -> list[Example]:
    random = np.random.default_rng([seed, *name.encode()])
    return [example(name, random, words) for _ in range(count)]


def raw_input(name: str, made: Example) -> Any:
    """What a person would ask to get the answer to an example; of a document its first two sentences."""
    if made.candidates:
        names = ("text_a", "question")
        return {**dict(zip(names, made.texts, strict=False)), "candidates": list(made.candidates)}
    if made.spans:
        (_, *first), (_, *second) = made.spans
        places = dict(zip(("start_a", "end_a", "start_b", "end_b"), (*first, *second), strict=True))
        return {**dict(zip(("text_a", "text_b"), made.texts, strict=False)), **places}
    if name in ("tags", "signs"):
        return {"words": [made.texts[0][start:end] for start, end in made.words]}
    if name == "span":
        return dict(zip(("question", "context"), made.texts, strict=True))
    return list(made.texts[:2])


def make_corpus(name: str, **changes: Any) -> Corpus:
    """A corpus, with some of its keys changed; those that only other kinds have are left out."""
    text = (
        f"languages: [en, de, zh]\nskills: {{generic: on}}\ncorpora:\n  {name}: {{{CORPORA[name]}, skills: [generic], "
    )
    spec = parse_corpora_file(f"{text}format: jsonl, test: none}}\n", Path("corpora.yaml"))
    corpus = spec.corpora[name]
    assert changes.keys() <= {*Corpus.model_fields, *every_own_option()}
    own, shared = (
        {key: changes[key] for key in changes if key in model.model_fields} for model in (type(corpus.own), Corpus)
    )
    return corpus.model_copy(update={**shared, "own": corpus.own.model_copy(update=own)})


def make_head(kind: str, labels: int, loss: str = "pointwise") -> HeadSpec:
    """The head of a corpus of a kind with so many labels or grades, over a vocabulary of as many pieces."""
    name = next(name for name, keys in CORPORA.items() if keys.startswith(f"kind: {kind},"))
    corpus = make_corpus(name, loss=loss)
    return kind_named(kind).head(corpus, [str(label) for label in range(labels)], {"grades": labels}, labels)


def make_reading(
    name: str, encoder: TextEncoder, max_length: int = 24, facts: Mapping[str, Any] | None = None, **changes: Any
) -> CorpusReading:
    """How a corpus is read, with some of its keys changed."""
    corpus = make_corpus(name, **changes)
    labels = corpus.labels or (("next", "other") if name == "nsp" else ())
    return CorpusReading(corpus, tuple(labels), encoder, max_length, facts or {})


@dataclass(frozen=True)
class World:
    """A data folder, the bundle of a run over it, and what ``prepare`` tells of each corpus's splits."""

    folder: Path
    bundle: Bundle
    prepared: Mapping[str, Sequence[PreparedSplit]] = field(default_factory=dict)

    def examples(
        self, name: str, split: str = "valid", training: bool = False, seed: int = 1, **more: Any
    ) -> CorpusExamples:
        return corpus_examples(self.bundle, name, str(self.folder), split, training, seed, **more)

    def items(self, name: str) -> Items:
        return make_items(corpus_reading(self.bundle, name))

    def model(self, seed: int = 0) -> Model:
        torch.manual_seed(seed)
        model = build_model(self.bundle)
        for parameter in model.parameters():  # answers that differ from input to input
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=1.5 / parameter.shape[1] ** 0.5)
        return Model(self.bundle, model, torch.device("cpu"))


def make_world(
    folder: Path,
    encoder: TextEncoder,
    rows: Mapping[str, Sequence[Example] | Mapping[str, Sequence[Example]]],
    options: Mapping[str, str] | None = None,
    max_length: int = 24,
    workers: int = 1,
    **bundle: Any,
) -> World:
    """Writes corpora as ``prepare`` does.

    Args:
        folder: empty.
        encoder: tokenizer, vocabulary and template.
        rows: of each corpus, for the split valid or by split.
        options: more keys of a corpus in YAML, such as ``stride: 4, max_answer: 2``.
        max_length: of the bundle.
        workers: of the encoding pool.
        bundle: other fields of the bundle.
    """
    by_split = {name: dict(found) if isinstance(found, Mapping) else {"valid": found} for name, found in rows.items()}
    lines = ["languages: [en, de, zh]", "skills: {generic: on, other: off}", "corpora:"]
    for name, splits in by_split.items():
        more = (options or {}).get(name, "")
        sources = ", ".join(f"{split}: {name}.{split}" for split in splits)
        lines.append(
            f"  {name}: {{{CORPORA[name]}, skills: [generic], format: jsonl, {sources}{', ' * bool(more)}{more}}}"
        )
    folder.mkdir(exist_ok=True)
    path = folder / "corpora.yaml"
    spec = parse_corpora_file("\n".join(lines) + "\n", path)
    encoder.save(folder / "text")
    prepared: dict[str, Sequence[PreparedSplit]] = {}
    with EncodingPool(encoder, folder / "text", workers) as pool:
        for name, splits in by_split.items():
            for split in splits:
                (folder / f"{name}.{split}").touch()
            corpus = spec.corpora[name]
            read = {split: SplitData(ExampleRows(found)) for split, found in splits.items()}
            arguments = (corpus, read, corpus.labels, pool, encoder, lambda split, count: None)
            prepared[name] = write_corpus(folder / name, folder / "text" / "dict.txt", *arguments)
    made = Bundle(
        variant="skillnet_x_ffn_mha",
        shape=EncoderShape(
            2, 16, 2, 32, len(encoder.vocabulary), positions=600, token_types=2 * encoder.template.token_types
        ),
        skill_layers=1,
        corpora_text=spec.text,
        corpora_path=str(path),
        labels={name: read_corpus_labels(folder, corpus) for name, corpus in spec.corpora.items()},
        facts={name: read_corpus_facts(folder, corpus) for name, corpus in spec.corpora.items()},
        max_length=max_length,
        text=encoder.to_state(),
    )
    return World(folder, replace(made, **bundle), prepared)
