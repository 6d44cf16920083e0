"""The options of ``multilingual_multitask``."""

from dataclasses import dataclass, field
from typing import Optional

from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from omegaconf import II, MISSING

from skill_plugin.options.allowed_values import SIZE, Range
from skill_plugin.options.flag import flag_of
from skill_plugin.options.max_length import MAX_LENGTH
from skill_plugin.sampling.rules import RULES


@dataclass
class MultilingualMultitaskConfig(FairseqDataclass):
    """Options of the task."""

    data: str = field(
        default=MISSING, metadata={"help": "folder that `skill-plugin prepare` or fairseq-preprocess wrote"}
    )
    corpora: str = field(default="", metadata={"help": "the corpora file (YAML)"})
    only_corpora: str = field(
        default="", metadata={"help": "names of the corpora to use, separated by commas (default: all)"}
    )
    train_rows: str = field(
        default="",
        metadata={
            "help": "CORPUS=PART,…, or PART for all: train on a number or a share of a corpus's rows, in place of what "
            "its train_rows says; drawn by --seed, the labels in their shares, a smaller part out of a larger one"
        },
    )
    init_from: str = field(
        default="",
        metadata={"help": "imported encoder, fairseq's RoBERTa or XLM-R model.pt, or a checkpoint of this plugin"},
    )
    corpus_sampling: ChoiceEnum(list(RULES)) = field(  # type: ignore[valid-type]
        default="proportional",
        metadata={
            "help": "how the corpus of each batch is drawn. "
            + ". ".join(f"{name}: {rule.help}" for name, rule in RULES.items() if rule.help),
            "argparse_alias": flag_of("corpus_sampling"),
        },
    )
    sampling_alpha: str = field(
        default="0.5",
        metadata={
            "help": "exponent of --sampling temperature (SkillNet-X, equation 7); FIRST:LAST for --sampling annealed: "
            "from the first epoch to the one in which --max-update is reached, linear in the updates done"
        },
    )
    sampling_weights: str = field(
        default="",
        metadata={"help": "CORPUS=FACTOR,…: factors on the sampler's probabilities, 1 for corpora that are not named"},
    )
    sampling_cap: Optional[int] = field(  # noqa: UP045  fairseq reads the type
        default=None, metadata={"help": "the size of a corpus counts as at most so many examples (T5)", "allowed": SIZE}
    )
    corpus_patience: Optional[int] = field(  # noqa: UP045
        default=None,
        metadata={
            "help": "a corpus whose validation score has not become better in so many validations is not trained on in "
            "later epochs; when none is left, the run ends (default: all are trained on to the end)",
            "allowed": SIZE,
        },
    )
    corpora_per_batch: int = field(
        default=1,
        metadata={
            "help": "K: each batch holds K independent draws of a corpus, each with up to --batch-size sentences and a "
            "K-th of --max-tokens",
            "allowed": Range(1, 4096),
        },
    )
    mlm_batch_share: Optional[float] = field(  # noqa: UP045  fairseq reads the type
        default=None,
        metadata={
            "help": "share of the batches that are of masked_lm corpora, as 0.01, whatever --sampling gives them; the "
            "others share the rest (default: --sampling draws all corpora)",
            "allowed": Range(0, 1, above_low=True, below_high=True),
        },
    )
    max_length: int = field(
        default=MAX_LENGTH,
        metadata={"help": "tokens of the longest sequence; longer ones are truncated", "allowed": SIZE},
    )
    autocast: ChoiceEnum(["none", "bf16"]) = field(  # type: ignore[valid-type]
        default="none", metadata={"help": "bf16: compute in bfloat16, weights and optimizer stay in float32"}
    )
    average_weights: str = field(
        default="",
        metadata={
            "help": "weights of corpora in weighted_avg, which is logged beside avg, as rte=2,mnli=0.5 (the others: 1)"
        },
    )
    keep_best_per_corpus: bool = field(
        default=False,
        metadata={"help": "keep the checkpoint in which a corpus scored best, as checkpoint_best_<corpus>.pt for each"},
    )
    no_verify: bool = field(
        default=False,
        metadata={
            "help": "do not compare the data folder's files with their checksums, for which each is read when it is "
            "new or has changed"
        },
    )
    update_freq: list[int] = II("optimization.update_freq")
    max_update: int = II("optimization.max_update")
    seed: int = II("common.seed")
    log_interval: int = II("common.log_interval")
    log_format: Optional[str] = II("common.log_format")  # noqa: UP045
    no_progress_bar: bool = II("common.no_progress_bar")
    batch_size: Optional[int] = II("dataset.batch_size")  # noqa: UP045  fairseq reads the type
    max_tokens: Optional[int] = II("dataset.max_tokens")  # noqa: UP045
    best_checkpoint_metric: str = II("checkpoint.best_checkpoint_metric")
    reset_meters: bool = II("checkpoint.reset_meters")
