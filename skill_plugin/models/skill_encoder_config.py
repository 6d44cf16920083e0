"""The options of ``skill_encoder`` as fairseq reads them, made from where they are declared."""

from dataclasses import field, make_dataclass
from typing import Any, Optional

from fairseq.dataclass import ChoiceEnum, FairseqDataclass

from skill_plugin.options.option import Option
from skill_plugin.variants.default_words import help_of
from skill_plugin.variants.model_options import OPTIONS


def _type(option: Option) -> Any:
    """In the spelling that fairseq understands."""
    if option.choices:
        return ChoiceEnum(list(option.choices))
    return Optional[option.type] if option.default is None else option.type  # noqa: UP045


def _metadata(option: Option) -> dict[str, Any]:
    return {"help": help_of(option), **({} if option.allowed is None else {"allowed": option.allowed})}


SkillEncoderConfig = make_dataclass(
    "SkillEncoderConfig",
    [(one.name, _type(one), field(default=one.default, metadata=_metadata(one))) for one in OPTIONS],
    bases=(FairseqDataclass,),
    namespace={"__doc__": "Options of the model; its sizes follow from the architecture.", "__module__": __name__},
)


def written_in(cfg: Any) -> dict[str, Any]:
    """The values of the options in a configuration, by their names."""
    return {one.name: getattr(cfg, one.name) for one in OPTIONS}
