#!/usr/bin/env python3
"""Times batches of several corpora and uncertainty sampling against what they replace: medians of ratios, in turns.

    .venv/bin/python scripts/bench_sampling.py [--gpu] [--only NAME…] [--rounds N] [--json FILE]
                                               [--data DATA_BIN --corpora FILE]

- super_batch: forward and backward of one pack of 8 corpora x 16 sentences, over 8 packs of one corpus each.
- uncertainty: a step of uncertainty sampling (16 candidates of each of 8 corpora, 16 of them trained on, AdamW), over a
  plain step on 16 sentences plus one forward, without gradients, over the same candidates.

dense_small (6 x 384) on the CPU in float32, with dropout as in training; with --gpu dense_base (12 x 768) in bfloat16
under autocast. Sentences have the lengths of those in a prepared data folder, or else lengths drawn with the means and
deviations of GLUE's eight training sets. Nothing else should run on the machine meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from fairseq.utils import move_to_cuda
from numpy.typing import NDArray
from side_by_side import Figures, Step, compare, make_parser, measure_all, milliseconds

import skill_plugin.register  # noqa: F401
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.criterions.multitask_cross_entropy import MultitaskCrossEntropy, MultitaskCrossEntropyConfig
from skill_plugin.data.collate import collate, collate_candidates
from skill_plugin.data.corpus_examples import CorpusExample
from skill_plugin.data.segment_examples import SegmentExamples
from skill_plugin.models.skill_encoder import SkillEncoderModel
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch
from skill_plugin.spec.corpora_file import parse_corpora_file
from skill_plugin.tasks.data_used import Announcements
from skill_plugin.tasks.uncertainty_sampling import UncertaintySampling
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.encoder_shape import SIZES, EncoderShape
from skill_plugin.variants.slots import Inventory

SENTENCES = 16
BATCHES = 4  # that a measurement goes through, so that lengths are not those of one batch
VOCABULARY = 30_000
# mean and standard deviation of tokens, up to 128, in samples of GLUE's training sets under an English WordPiece
GLUE = {
    "rte": (74.2, 32.9), "mrpc": (59.9, 14.3), "stsb": (32.6, 15.4), "cola": (12.6, 4.5),
    "sst2": (27.3, 12.8), "qnli": (57.6, 20.8), "qqp": (33.2, 13.1), "mnli": (45.5, 20.5),
}  # fmt: skip


def draw_lengths() -> list[NDArray[np.int64]]:
    """Lengths of 4,000 sentences a corpus, log-normal with GLUE's means and deviations, at most 128."""
    random, found = np.random.default_rng(0), []
    for mean, deviation in GLUE.values():
        variance = np.log(1 + (deviation / mean) ** 2)
        lengths = random.lognormal(np.log(mean) - variance / 2, np.sqrt(variance), 4000)
        found.append(np.clip(np.rint(lengths), 4, 128).astype(np.int64))
    return found


def read_lengths(folder: str, corpora: str) -> list[NDArray[np.int64]]:
    """Lengths of the training splits of eight corpora of a prepared folder."""
    from skill_plugin.kinds.items import CorpusReading, make_items
    from skill_plugin.spec.corpora_file import read_corpora_file
    from skill_plugin.store.corpus_store import (
        list_splits,
        open_corpus,
        read_corpus_facts,
        read_corpus_labels,
        read_text_encoder,
    )

    file = read_corpora_file(corpora)
    names = [name for name in file.corpora if "train" in list_splits(folder, name)][: len(GLUE)]
    text, found = read_text_encoder(folder, names), []
    for name in names:
        corpus = file.corpora[name]
        labels = tuple(read_corpus_labels(folder, corpus))
        items = make_items(CorpusReading(corpus, labels, text, 128, read_corpus_facts(folder, corpus)))
        found.append(items.lengths(open_corpus(folder, corpus, "train", labels)).tokens)
    return found


def make_corpora_text(count: int) -> str:
    """A corpora file of so many corpora."""
    lines = [
        f"  c{i}: {{kind: classification, language: en, skills: [generic], labels: [a, b, c], format: tsv, "
        "columns: {text_a: a, label: l}, train: none}"
        for i in range(count)
    ]
    return "\n".join(["languages: [en]", "skills: {generic: on}", "corpora:", *lines, ""])


class Bench:
    """A model, and batches of it.

    Args:
        lengths: token counts of the sentences of each corpus.
        gpu: whether to take the larger model, on the GPU.
    """

    def __init__(self, lengths: Sequence[NDArray[np.int64]], gpu: bool) -> None:
        torch.manual_seed(0)
        self.lengths, self.gpu = lengths, gpu
        self.device = torch.device("cuda" if gpu else "cpu")
        text = make_corpora_text(len(lengths))
        file = parse_corpora_file(text, Path("corpora.yaml"))
        size = SIZES["base" if gpu else "small"]
        shape = EncoderShape(size.layers, size.width, size.heads, size.inner, VOCABULARY)
        heads = {name: ClassificationHead(size.width, 3, 0.1) for name in file.corpora}
        model = MultitaskModel(build_encoder("dense", shape, Inventory(("generic",), ("en",), gates=())), heads)
        self.model = SkillEncoderModel(model, shape.positions).to(self.device).train()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), 1e-6, fused=gpu)
        labels = dict.fromkeys(file.corpora, ("a", "b", "c"))
        facts: dict[str, dict[str, Any]] = {name: {} for name in file.corpora}
        bundle = Bundle("dense", shape, text, "bench.yaml", labels, facts, 128, {})
        task: Any = SimpleNamespace(bundle=bundle, names=list(file.corpora))
        self.criterion = MultitaskCrossEntropy(MultitaskCrossEntropyConfig(), task)
        self.random = np.random.default_rng(1)
        announcements = Announcements(0, 1, 1, SENTENCES)
        self.sampling = UncertaintySampling(self.criterion.families, SENTENCES, None, False, announcements)

    def segments(self) -> list[SegmentExamples]:
        """SENTENCES of each corpus."""
        return [self._segment(corpus) for corpus in range(len(self.lengths))]

    def _segment(self, corpus: int) -> SegmentExamples:
        examples = []
        for length in self.random.choice(self.lengths[corpus], SENTENCES).tolist():
            tokens = self.random.integers(5, VOCABULARY, length)
            target = {"classes": self.random.integers(0, 3, 1)}
            examples.append(CorpusExample([EncodedSequence(tokens, np.zeros_like(tokens))], target, 0))
        return SegmentExamples(corpus, ActiveSet(("generic",), "en"), f"c{corpus}", np.arange(SENTENCES), examples)

    def to_device(self, sample: dict[str, Any]) -> dict[str, Any]:
        """A sample on the device, as fairseq hands it on."""
        return move_to_cuda(sample) if self.gpu else sample

    def autocast(self) -> Any:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.gpu)

    def backward(self, sample: dict[str, Any]) -> None:
        with self.autocast():
            loss, _, _ = self.criterion(self.model, sample)
        loss.backward()

    def update(self, sample: dict[str, Any]) -> None:
        self.optimizer.zero_grad()
        self.backward(sample)
        self.optimizer.step()

    def wait(self) -> None:
        if self.gpu:
            torch.cuda.synchronize()

    def steps(self, one: Callable[[int], None]) -> Step:
        """One pass over all batches."""

        def run() -> None:
            for index in range(BATCHES):
                one(index)
            self.wait()

        return run


def super_batch(bench: Bench, rounds: int) -> Figures:
    """One pack against one a corpus; gradients are added up by both."""
    segments = [bench.segments() for _ in range(BATCHES)]
    together = [bench.to_device(collate(one, False)) for one in segments]
    alone = [[bench.to_device(collate([segment], False)) for segment in one] for one in segments]

    def packed(index: int) -> None:
        bench.optimizer.zero_grad()
        bench.backward(dict(together[index]))

    def separate(index: int) -> None:
        bench.optimizer.zero_grad()
        for sample in alone[index]:
            bench.backward(dict(sample))

    return compare(bench.steps(packed), bench.steps(separate), rounds)


def uncertainty(bench: Bench, rounds: int) -> Figures:
    """The whole step against its two unavoidable parts, with the sentences that the step itself chooses."""
    samples = [bench.to_device(collate_candidates(bench.segments(), False, None)) for _ in range(BATCHES)]
    with bench.autocast():
        plain = [bench.sampling.choose(bench.model, sample)[0] for sample in samples]

    def ours(index: int) -> None:
        with bench.autocast():
            chosen, _ = bench.sampling.choose(bench.model, samples[index])
        bench.update(chosen)

    def theirs(index: int) -> None:
        bench.model.eval()
        with torch.no_grad(), bench.autocast():
            for pack in samples[index]["packs"]:
                bench.model.model(PackedBatch(**pack["net_input"]))
        bench.model.train()
        bench.update(plain[index])

    return compare(bench.steps(ours), bench.steps(theirs), rounds)


def main() -> None:
    parser = make_parser(__doc__, rounds=11)
    parser.add_argument("--gpu", action="store_true", help="12 x 768 in bfloat16 on the GPU")
    parser.add_argument("--data", help="a prepared folder, for the lengths of its sentences")
    parser.add_argument("--corpora", help="its corpora file")
    asked = parser.parse_args()
    if (asked.data is None) != (asked.corpora is None):
        parser.error("--data and --corpora go together")
    if asked.gpu and not torch.cuda.is_available():
        parser.error("--gpu: there is none")
    lengths = read_lengths(asked.data, asked.corpora) if asked.data else draw_lengths()
    measurements = {
        measure.__name__: partial(lambda measure: measure(Bench(lengths, asked.gpu), asked.rounds), measure)
        for measure in (super_batch, uncertainty)
    }
    tokens = [round(float(one.mean()), 1) for one in lengths]
    measure_all(parser, asked, measurements, lambda figures: milliseconds(figures, "compared", BATCHES), tokens=tokens)


if __name__ == "__main__":
    main()
