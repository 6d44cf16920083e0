"""Answers: ``python decode.py QUESTION CONTEXT``. Needs transformers and torch, and lies beside the model."""
import sys
from pathlib import Path

import torch
from transformers import AutoModelForQuestionAnswering, AutoTokenizer

model = AutoModelForQuestionAnswering.from_pretrained(Path(__file__).parent).eval()
tokenizer = AutoTokenizer.from_pretrained(Path(__file__).parent)
library, how = tokenizer.backend_tokenizer, model.config.decoding
bos, eos, room = tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.model_max_length - 2 - how["separators"]

def answer(question: str, context: str) -> tuple[list[tuple[int, int, float]], list[torch.Tensor]]:
    """Start, end and score of up to five answers, the given one first, (0, 0) is none; logits of each window [U, 2]."""
    asked = library.encode(question, add_special_tokens=False).ids[: min(how["max_question"], room // 2)]
    found, size = library.encode(context, add_special_tokens=False), room - len(asked)
    stride = min(how["stride"] or max(1, size // 2), size)
    pieces = zip(found.tokens, found.offsets, strict=True)
    ink = [(a, b if token.strip("\u2581\u0120 ") else a) for token, (a, b) in pieces]
    ink = [(b - len(context[a:b].lstrip()), a + len(context[a:b].rstrip())) for a, b in ink]
    best: dict[tuple[int, int], float] = {}
    none, logits, before = float("inf"), [], [bos, *asked, *[eos] * how["separators"]]
    for start in range(0, stride * (1 + max(0, -((size - len(found.ids)) // stride))), stride):
        ids = [*before, *found.ids[start : start + size], eos]
        types = [0 if place < len(before) else how["token_types"] for place in range(len(ids))]
        out = model(torch.tensor([ids]), **({"token_type_ids": torch.tensor([types])} if how["token_types"] else {}))
        both = torch.stack([out.start_logits[0], out.end_logits[0]], 1).detach()
        logits.append(both[[0, *range(len(before), len(ids) - 1)]])
        none, values = min(none, float(both[0].sum())), logits[-1][1:].tolist()
        for first in range(len(values)):
            for last in range(first, min(first + how["max_answer"], len(values))):
                (a, b), (c, d) = ink[start + first], ink[start + last]
                if a < b and c < d:
                    best[a, d] = max(best.get((a, d), -1e9), values[first][0] + values[last][1])
    ranked = sorted(best, key=lambda place: -best[place])[:5]
    no_answer = not ranked or (how["no_answer"] and none - best[ranked[0]] > how["no_answer_threshold"])
    return [(a, b, best.get((a, b), none)) for a, b in [(0, 0)] * no_answer + ranked], logits

if __name__ == "__main__":
    print(sys.argv[2][slice(*answer(*sys.argv[1:3])[0][0][:2])])
