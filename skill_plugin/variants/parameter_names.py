"""What the name of a parameter says: which pretrained one it starts from, whose it is, and who activates it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from skill_plugin.nn.active_set import ActiveSet

# what a variant puts between a layer's slot and the parameters that it copies from the pretrained layer
_SKILL = re.compile(r"\.(task_skills|language_skills|languages)\.([^.]+)")
_EXPERT = re.compile(r"\.feed_forward\.experts\.\d+")
_GATE = re.compile(r"\.feed_forward\.(?:gate|gate_noise|gates\.([^.]+))\.weight$")
_EMBEDDING = re.compile(r"encoder\.(task_embeddings|alignment)\.rows\.([^.]+)\.weight$")
_CONDITIONAL = re.compile(
    r"encoder\.(task_embeddings|alignment|skip_path)\."
    r"|\.attention\.matrix\.|_norm\.modulation\.|\.feed_forward\.bottleneck\."
)
_ADAPTER = re.compile(r"\.lora_[ab]$")
_HEAD = re.compile(r"heads\.([^.]+)\.")
_PRODUCT = re.compile(
    r"encoder\.(layers|alignment|skip_path)\.(?!.*(\bmodulation\.|\bgate_noise\.)).*(\.weight|\.lora_[ab])$"
    r"|encoder\.alignment\.weight$"
)

_LAYER = re.compile(r"\.layers\.\d+\.")

GROUPS = ("encoder", "decoder", "skills", "experts", "gates", "conditional", "adapters", "heads")


def dense_name(name: str) -> str:
    """The name that a parameter has in a dense model: skills and experts start as copies of the pretrained layer's.

    >>> dense_name("encoder.layers.3.feed_forward.task_skills.sentence.fc1.weight")
    'encoder.layers.3.feed_forward.fc1.weight'
    """
    return _EXPERT.sub(".feed_forward", _SKILL.sub("", name))


def skill_table_of(name: str) -> str:
    """What a copy of a pretrained parameter is: ``task_skills``, ``language_skills``, ``languages``, or nothing."""
    found = _SKILL.search(name)
    return "" if found is None else found[1]


def skill_of(name: str) -> str:
    """The task skill or language that a parameter belongs to, or nothing; ``skill_table_of`` says which of the two."""
    found = _SKILL.search(name)
    return "" if found is None else found[2]


def with_skill(name: str, skill: str) -> str:
    """The name of the same parameter of another skill or language.

    >>> with_skill("encoder.layers.3.feed_forward.task_skills.token.fc1.weight", "medical")
    'encoder.layers.3.feed_forward.task_skills.medical.fc1.weight'
    """
    return _SKILL.sub(rf".\1.{skill}", name)


def group_of(name: str) -> str:
    """One of ``GROUPS``: ``encoder`` is what every token runs through, ``decoder`` every token of a target."""
    if _HEAD.match(name):
        return "heads"
    if _ADAPTER.search(name):
        return "adapters"
    if _EXPERT.search(name):
        return "experts"
    if _GATE.search(name):
        return "gates"
    if _CONDITIONAL.search(name):
        return "conditional"
    if _SKILL.search(name):
        return "skills"
    return "decoder" if name.startswith("decoder.") else "encoder"


def is_base(name: str) -> bool:
    """Whether a parameter is one of those that adapters leave as they are.

    It is what starts from a pretrained parameter: gates, and whatever else a variant draws for itself, train with the
    adapters and the heads.
    """
    return group_of(name) in ("encoder", "decoder", "skills", "experts")


def is_product(name: str) -> bool:
    """Whether a matrix of that name is one that the encoder multiplies tokens with, beside those of heads.

    Embeddings are looked up, and what modulates multiplies task embeddings.
    """
    return _PRODUCT.match(name) is not None


def is_active(name: str, active: ActiveSet, head: str) -> bool:
    """Whether a corpus with this active set and head uses the parameter; it may use any expert."""
    if found := _HEAD.match(name):
        return found[1] == head
    if (found := _GATE.search(name)) and found[1] is not None:
        return found[1] == active.gate
    if found := _EMBEDDING.match(name):
        return found[2] == active.embedding
    if found := _SKILL.search(name):
        return found[2] in (active.skills if found[1] == "task_skills" else (active.language,))
    return True


def share_equal(names: Iterable[str], sets: Mapping[str, ActiveSet]) -> dict[str, ActiveSet]:
    """The active sets of some corpora, the same one for corpora that activate the same parameters of the encoder.

    The same tokens have the same hidden states for them.

    Args:
        names: of a model's parameters.
        sets: what each corpus activates.
    """
    of_encoder = {_LAYER.sub(".layers.", name) for name in names if not head_of(name)}  # all layers are alike in this
    first: dict[frozenset[str], ActiveSet] = {}
    found = {}
    for corpus, active in sets.items():
        found[corpus] = first.setdefault(frozenset(name for name in of_encoder if is_active(name, active, "")), active)
    return found


def gate_of(name: str) -> str:
    """The corpus's gate that a parameter belongs to, or nothing."""
    found = _GATE.search(name)
    return "" if found is None else found[1] or ""


def embedding_of(name: str) -> str:
    """The corpus whose task embedding, or alignment, a parameter is, or nothing."""
    found = _EMBEDDING.match(name)
    return "" if found is None else found[2]


def is_task_embedding(name: str) -> bool:
    """Whether a parameter is a task embedding."""
    found = _EMBEDDING.match(name)
    return found is not None and found[1] == "task_embeddings"


def head_of(name: str) -> str:
    """The head that a parameter belongs to, or nothing."""
    found = _HEAD.match(name)
    return "" if found is None else found[1]


def is_last_map(name: str) -> bool:
    """Whether a parameter is of the last map of a head, whose rows are its outputs."""
    return bool(head_of(name)) and ".out_proj." in name


def with_gate(name: str, gate: str) -> str:
    """The name of the same parameter of another corpus's gate.

    >>> with_gate("encoder.layers.3.feed_forward.gates.mnli.weight", "rte")
    'encoder.layers.3.feed_forward.gates.rte.weight'
    """
    return _GATE.sub(f".feed_forward.gates.{gate}.weight", name)


def with_embedding(name: str, embedding: str) -> str:
    """The name of the same parameter of another corpus's task embedding, or alignment.

    >>> with_embedding("encoder.task_embeddings.rows.mnli.weight", "rte")
    'encoder.task_embeddings.rows.rte.weight'
    """
    return _EMBEDDING.sub(rf"encoder.\1.rows.{embedding}.weight", name)


def with_head(name: str, head: str) -> str:
    """The name of the same parameter of another head."""
    return _HEAD.sub(f"heads.{head}.", name)
