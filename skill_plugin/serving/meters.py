"""What ``/metrics`` tells, in Prometheus's words."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_POWERS = tuple(2**power for power in range(15))


class Meters:
    """Counts of one server.

    Args:
        waiting: how many requests are received, wait or are answered now.
    """

    def __init__(self, waiting: Callable[[], float]) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "skill_plugin_requests", "Requests to /predict by status of HTTP", ["status"], registry=self.registry
        )
        self.seconds = Histogram(
            "skill_plugin_request_seconds", "From request to answer", buckets=_SECONDS, registry=self.registry
        )
        self.inputs = Counter("skill_plugin_inputs", "Inputs answered by corpus", ["corpus"], registry=self.registry)
        self.tokens = Counter("skill_plugin_tokens", "Tokens of all sequences answered", registry=self.registry)
        self.together = Histogram(
            "skill_plugin_batch_pieces", "Pieces of requests read together", buckets=_POWERS, registry=self.registry
        )
        self.batch_seconds = Histogram(
            "skill_plugin_batch_seconds", "Time of the model for them", buckets=_SECONDS, registry=self.registry
        )
        Gauge("skill_plugin_waiting", "Requests not answered yet", registry=self.registry).set_function(waiting)
