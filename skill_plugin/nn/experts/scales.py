"""What a chosen expert's output may be multiplied by; ``routing.route`` says what each means.

A file of its own, without torch, since options and ``describe --help`` name the choices.
"""

SCALES = ("probability", "renormalised", "rescaled")
