"""What the options of sampling say, and what is refused in one line."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from skill_plugin.errors import InputError
from skill_plugin.sampling.sampler import Sampler
from skill_plugin.tasks.sampling_options import make_sampler, read_alphas, read_sampling_weights

TRAINED = [SimpleNamespace(name=name, kind="classification") for name in ("rte", "mnli", "reviews-de")]
MASKED = SimpleNamespace(name="raw", kind="masked_lm")


def options(**given: Any) -> SimpleNamespace:
    default = {
        "sampling_alpha": "0.5",
        "sampling_weights": "",
        "sampling_cap": None,
        "max_update": 0,
        "corpus_patience": None,
        "mlm_batch_share": None,
    }
    return SimpleNamespace(**{"corpus_sampling": "proportional", **default, **given})


def test_what_is_read() -> None:
    assert read_alphas("0.4") == (0.4, 0.4)
    assert read_alphas("1.0:0.4") == (1.0, 0.4)
    assert read_sampling_weights("rte=2, mnli = 0.5,", ["rte", "mnli"]) == {"rte": 2.0, "mnli": 0.5}


def test_samplers() -> None:
    assert make_sampler(options(), TRAINED) == Sampler("proportional", (0.5, 0.5))
    given = options(corpus_sampling="annealed", sampling_alpha="1.0:0.4", max_update=100, sampling_cap=50)
    assert make_sampler(given, TRAINED) == Sampler("annealed", (1.0, 0.4), 100, 50)
    assert make_sampler(options(corpus_sampling="annealed", sampling_alpha="0.3"), TRAINED) == Sampler(
        "annealed", (0.3, 0.3)
    )
    given = options(sampling_weights="reviews-de=3,rte=0.5")
    assert make_sampler(given, TRAINED) == Sampler("proportional", (0.5, 0.5), weights=(0.5, 1.0, 3.0))
    assert make_sampler(options(corpus_sampling="uncertainty"), TRAINED) is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sampling_alpha": "x"}, "--sampling-alpha x: expected a number of 0 to 10, or FIRST:LAST as 1.0:0.4"),
        ({"sampling_alpha": "1:2:3"}, "--sampling-alpha 1:2:3: expected a number of 0 to 10, or FIRST:LAST"),
        ({"sampling_alpha": "nan"}, "--sampling-alpha nan: expected a number of 0 to 10"),
        ({"sampling_alpha": "1:0", "corpus_sampling": "temperature"}, "expected one number; --sampling annealed moves"),
        ({"sampling_alpha": "1:0", "corpus_sampling": "uniform"}, "expected nothing with --sampling uniform"),
        ({"sampling_alpha": "1:0.4", "corpus_sampling": "annealed"}, "needs --max-update, where alpha 0.4 is reached"),
        ({"sampling_weights": "rte"}, "--sampling-weights rte: expected CORPUS=WEIGHT"),
        (
            {"sampling_weights": "rte=0"},
            "--sampling-weights rte=0: expected more than 0; --only-corpora leaves",
        ),
        ({"sampling_weights": "mnlii=1"}, "no corpus that has training data; did you mean 'mnli'?"),
        ({"sampling_cap": 9, "corpus_sampling": "uniform"}, "with --sampling uniform sizes do not count; leave it out"),
        ({"sampling_cap": 9, "corpus_sampling": "uncertainty"}, "--sampling-cap 9: --sampling uncertainty chooses"),
        ({"sampling_weights": "rte=2", "corpus_sampling": "uncertainty"}, "--sampling-weights rte=2: --sampling unc"),
        ({"mlm_batch_share": 0.1, "corpus_sampling": "uncertainty"}, "--mlm-batch-share 0.1: --sampling uncertainty"),
        ({"mlm_batch_share": 0.1}, "--mlm-batch-share 0.1: no masked_lm corpus has training data"),
    ],
)
def test_what_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        make_sampler(options(**given), TRAINED)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_the_share_of_masked_lm() -> None:
    given = options(mlm_batch_share=0.1)
    assert make_sampler(given, [*TRAINED, MASKED]) == Sampler(
        "proportional", (0.5, 0.5), auxiliary=(False, False, False, True), auxiliary_share=0.1
    )
    with pytest.raises(InputError, match="no corpus but masked_lm ones has training data; leave it out"):
        make_sampler(given, [MASKED])
