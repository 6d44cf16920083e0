"""What a chosen expert's output may be multiplied by; ``routing.route`` says what each means."""

SCALES = ("probability", "renormalised", "rescaled")
