"""Texts on which an export is tried where no rows of its corpus are at hand."""

from __future__ import annotations

from skill_plugin.text.trusted_offsets import TEXTS

_OF_LANGUAGE = {
    "en": ("The river rose overnight, and the old bridge was closed.", "Who closed it? Nobody in town could say."),
    "de": (
        "Über Nacht stieg der Fluss, und die alte Brücke wurde gesperrt.",
        "Wer war's? In München wusste es niemand.",
    ),
    "es": ("El río creció por la noche y cerraron el puente viejo.", "¿Quién lo cerró? Nadie en España lo sabía."),
    "fr": (
        "La rivière est montée dans la nuit et l'ancien pont a été fermé.",
        "Qui l'a fermé ? Personne ne le savait.",
    ),
    "ru": ("Ночью река поднялась, и старый мост закрыли.", "Кто его закрыл? В городе никто не знал."),
    "ar": ("ارتفع النهر ليلا وأغلق الجسر القديم.", "من أغلقه؟ لم يعرف أحد في المدينة."),
    "hi": ("रात में नदी बढ़ गई और पुराना पुल बंद कर दिया गया।", "किसने बंद किया? किसी को नहीं पता था।"),
    "zh": ("河水一夜之间上涨，旧桥被关闭了。", "是谁关的？北京没有人知道。"),
    "ja": ("川は一晩で増水し、古い橋は閉鎖された。", "誰が閉めたのか。東京では誰も知らなかった。"),
    "sw": ("Mto ulijaa usiku na daraja la zamani likafungwa.", "Nani alilifunga? Hakuna aliyejua mjini."),
}


def sample_texts(language: str) -> tuple[str, ...]:
    """Some texts of a language where there are any, and of many scripts."""
    return (*_OF_LANGUAGE.get(language.split("-")[0], ()), *TEXTS)
