"""What a trained checkpoint carries beside its weights, so that it needs no other file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from skill_plugin.checkpoints.origin import Origin
from skill_plugin.errors import InputError
from skill_plugin.files.validated import validate
from skill_plugin.kinds.calibration import PLAIN, Calibration
from skill_plugin.kinds.registry import kind_named
from skill_plugin.metrics.calibration_error import CalibrationError
from skill_plugin.metrics.corpus_metrics import CorpusMetric, CorpusMetrics
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.heads.head_spec import HeadSpec
from skill_plugin.objectives.family import Family
from skill_plugin.objectives.target_tokens import TargetTokens
from skill_plugin.spec.corpora_file import CorporaFile, parse_corpora_file
from skill_plugin.spec.corpus import Corpus
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.variants.catalogue import MODELS, MT5
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.model_options import ModelOptions
from skill_plugin.variants.model_shape import ModelShape
from skill_plugin.variants.slots import Inventory
from skill_plugin.weights.undamaged import damage_named

VERSION = 2


@dataclass(frozen=True)
class Bundle(ModelOptions):
    """The model's structure, with its options, the corpora file, labels and tokenizer.

    Attributes:
        variant: name of the published model.
        shape: sizes of the encoder, or of encoder and decoder.
        corpora_text, corpora_path: the corpora file as it was, and where it lay (for messages only).
        labels: the labels of each corpus of the run, in the order of their ids; empty for kinds without labels.
        facts: what the data of each corpus of the run says (``RowStorage.facts``).
        max_length: tokens of the longest sequence, where the corpora file says nothing else.
        text: state of the ``TextEncoder``.
        base: with adapters, the fingerprint of what they adapt.
        average_weights: weight of each corpus in ``weighted_avg``.
        new_parameters: with ``--freeze old``, what trains beside heads (``variants.freezing.find_new``).
        origin: what the weights started from; None where they were random.
        joined_question: whether a query and its question are one text; older checkpoints, which do not say, keep the
            two apart, as they were trained.
        calibrations: how outputs become answers, of corpora of which ``calibrate`` has found that out.
        prefixed: of text to text, whether sequences begin with their corpus's prefix, since the run had several, or the
            one that it started from.
        file: the checkpoint that it was read from, for messages.
    """

    variant: str
    shape: ModelShape
    corpora_text: str
    corpora_path: str
    labels: Mapping[str, tuple[str, ...]]
    facts: Mapping[str, Mapping[str, Any]]
    max_length: int
    text: Mapping[str, Any]
    base: str = ""
    average_weights: Mapping[str, float] = field(default_factory=dict)
    new_parameters: tuple[str, ...] = ()
    origin: Origin | None = None
    joined_question: bool = True
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)
    prefixed: bool = False
    file: str | None = field(default=None, compare=False)

    @cached_property
    def spec(self) -> CorporaFile:
        """The whole corpora file, of which ``labels`` names the corpora of the run.

        Raises:
            InputError: it is at fault; in a checkpoint, that is.
        """
        with damage_named(self.file):
            return parse_corpora_file(self.corpora_text, Path(self.corpora_path))

    @property
    def encoder_shape(self) -> EncoderShape:
        """The shape of a model with heads.

        Raises:
            InputError: it answers with texts.
        """
        if isinstance(self.shape, EncoderShape):
            return self.shape
        raise InputError(f"{self.variant} answers with texts, by an encoder and a decoder: it has no heads", self.file)

    @cached_property
    def text_encoder(self) -> TextEncoder:
        """Tokenizer, vocabulary and template.

        Raises:
            InputError: a part of it is at fault.
        """
        with damage_named(self.file):
            return TextEncoder.from_state(dict(self.text))

    @property
    def is_text_to_text(self) -> bool:
        """Whether answers are texts that a decoder writes, rather than outputs of heads."""
        return self.variant == MT5

    @property
    def reads_token_types(self) -> bool:
        """Whether packs tell the encoder which text of a sequence a token is of."""
        return self.shape.token_types > 0

    @property
    def inventory(self) -> Inventory:
        """The skills of the whole file, gates and task embeddings of the run's corpora, and options."""
        active = [self.active_set(name) for name in self.labels]
        return Inventory(
            skills=tuple(self.spec.skills),
            languages=tuple(self.spec.languages),
            gates=tuple(dict.fromkeys(one.gate for one in active)),
            experts=self.experts,
            embeddings=tuple(dict.fromkeys(one.embedding for one in active)),
            conditional=self.conditional,
        )

    def corpus(self, name: str) -> Corpus:
        """What the corpora file says of a corpus."""
        return self.spec.corpora[name]

    def active_set(self, name: str) -> ActiveSet:
        """What a corpus activates: with ``as`` the other's gate, embedding and, lacking its own, language skill."""
        corpus = self.corpus(name)
        language = corpus.language
        if language not in self.spec.languages and corpus.shares is not None:
            language = self.corpus(corpus.shares).language
        owner = corpus.shares or name
        return ActiveSet(corpus.skills, language, gate=owner, embedding=owner)

    def calibration(self, name: str) -> Calibration:
        """How outputs for a corpus become answers: as was found for it, or for the corpus that it names with ``as``."""
        found = (self.calibrations.get(one) for one in (name, self.corpus(name).shares) if one is not None)
        return next((one for one in found if one is not None), PLAIN)

    def family(self, name: str) -> Family:
        """What the outputs of a corpus's head stand for."""
        corpus = self.corpus(name)
        return kind_named(corpus.kind).family(corpus, self.facts[name])

    def learned_family(self, name: str) -> Family:
        """What outputs stand for that are learned from: of a text-to-text model, tokens of the right answer's text."""
        corpus = self.corpus(name)
        kind = kind_named(corpus.kind)
        texts = kind.answer_texts(corpus, self.labels[name], self.facts[name]) if self.is_text_to_text else None
        return TargetTokens(choices=len(texts)) if texts else self.family(name)

    def length_of(self, name: str) -> int:
        """Tokens of a corpus's longest sequence, never more than the encoder has positions for."""
        return min(self.corpus(name).max_length or self.max_length, self.shape.positions)

    def heads(self) -> dict[str, HeadSpec]:
        """What every head reads and gives; none where texts are the answers.

        Raises:
            InputError: grades that are not known.
        """
        if self.is_text_to_text:
            return {}
        heads: dict[str, HeadSpec] = {}
        for name in self.labels:
            corpus = self.corpus(name)
            head = kind_named(corpus.kind).head(corpus, self.labels[name], self.facts[name], self.shape.vocabulary)
            # grades are counted in the data: a head that corpora share has those of the corpus with the most
            heads[corpus.head] = max(head, heads.get(corpus.head, head), key=lambda one: one.outputs)
        return heads

    def metrics(self, rows: Mapping[str, int] | None = None) -> CorpusMetrics:
        """How each corpus is scored, in the order of the run.

        Args:
            rows: how many rows each corpus that is scored has, for metrics that need all answers at once; None for all.

        Raises:
            InputError: a metric that the corpus's tags or labels do not allow.
        """
        found = [self.metric(name, (rows or {}).get(name, 0)) for name in self.labels]
        return CorpusMetrics(found, rows, self.average_weights, self.spec.groups)

    def metric(self, name: str, rows: int = 0) -> CorpusMetric:
        """How a corpus is scored.

        Args:
            name: name of the corpus.
            rows: how many rows are scored, for a metric that needs all answers at once.

        Raises:
            InputError: a metric that the corpus's tags or labels do not allow.
        """
        corpus = self.corpus(name)
        try:
            metric = kind_named(corpus.kind).metric(corpus, self.labels[name], self.facts[name], rows)
        except ValueError as error:
            raise InputError(f"corpus {name!r}: {error}", self.corpora_path, corpus.line) from None
        calibration = CalibrationError() if kind_named(corpus.kind).calibrated else None
        return CorpusMetric(name, metric, corpus.in_average, corpus.language, calibration)

    def to_state(self) -> dict[str, Any]:
        """Plain values only, so that a checkpoint loads with weights_only=True."""
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "file"}
        plain = {
            name: asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
            for name, value in values.items()
        }
        plain["calibrations"] = {name: asdict(one) for name, one in self.calibrations.items()}
        return {"version": VERSION, **plain}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], file: str | None = None) -> Bundle:
        """What ``to_state`` gave.

        Raises:
            InputError: written by a newer version of this plugin, or not as it was written.
        """
        if state.get("version") != VERSION:
            raise InputError(f"written by another version of skill_plugin (bundle {state.get('version')})", file)
        known = {name: value for name, value in state.items() if name != "version"}
        if later := [name for name in known if name not in {one.name for one in fields(cls)}]:
            raise InputError(f"written by a later version of skill_plugin, which has {later[0]!r}", file)
        bundle = validate(cls, {"joined_question": False, **known}, file)
        if bundle.variant not in MODELS:
            raise InputError(f"is a {bundle.variant}, which this version of skill_plugin does not know", file)
        return replace(bundle, facts={name: bundle.facts[name] for name in bundle.labels}, file=file)
