"""Measures of a server's answers: rates of success and failure, response times and annotations per answer.

Source: Perez-Perez et al. 2019, J Cheminform 11:42, tables 1 and 2.
"""

from dataclasses import dataclass, field

from servers.availability.measures.percentiles import PERCENTS


def _divide_or_none(numerator: float, denominator: float) -> float | None:
    return numerator / denominator if denominator else None


@dataclass(frozen=True, slots=True)
class AnswerTotals:
    """Numbers of attempts by outcome, and sums over the accepted answers (answered and empty).

    seconds: sum of response times, from the last byte sent to the last byte received or to the call-back;
    document_bytes: size of the annotated texts in UTF-8; percentiles: response times in seconds by percent;
    round_trips: sum of the seconds to connect, for each answer at most its response time; acknowledged: number of
    deferred answers; acknowledgement_seconds: sum of the seconds until their requests were accepted.
    """

    answered: int = 0
    empty: int = 0
    invalid: int = 0
    connection: int = 0
    communication: int = 0
    no_answer: int = 0
    documents: int = 0
    annotations: int = 0
    document_bytes: int = 0
    seconds: float = 0.0
    slowest: float | None = None
    round_trips: float = 0.0
    acknowledged: int = 0
    acknowledgement_seconds: float = 0.0
    percentiles: dict[int, float | None] = field(default_factory=lambda: dict.fromkeys(PERCENTS))

    @property
    def responses(self) -> int:
        """The number of accepted answers."""
        return self.answered + self.empty

    @property
    def attempts(self) -> int:
        return self.responses + self.invalid + self.connection + self.communication + self.no_answer

    @property
    def mad(self) -> float | None:
        """Mean number of annotations per response; None without responses."""
        return _divide_or_none(self.annotations, self.responses)

    @property
    def mad_per_document(self) -> float | None:
        """Mean annotations per document, which differs from `mad` if a response covers several documents."""
        return _divide_or_none(self.annotations, self.documents)

    @property
    def seconds_per_byte(self) -> float | None:
        """Mean time per document volume (MTDV) by the formula in its source: response time / document size."""
        return _divide_or_none(self.seconds, self.document_bytes)

    @property
    def bytes_per_second(self) -> float | None:
        """Mean time per document volume (MTDV) in the unit that its source gives, the inverse of the formula."""
        return _divide_or_none(self.document_bytes, self.seconds)

    @property
    def mtsa(self) -> float | None:
        """Mean time to seek annotations: response time in seconds per annotation; None without annotations."""
        return _divide_or_none(self.seconds, self.annotations)

    @property
    def art(self) -> float | None:
        """Average response time in seconds; None without responses."""
        return _divide_or_none(self.seconds, self.responses)

    @property
    def round_trip(self) -> float | None:
        """Mean seconds to connect, which is a round trip without work of the server."""
        return _divide_or_none(self.round_trips, self.responses)

    @property
    def art_less_round_trip(self) -> float | None:
        """Average response time without a network round trip, to compare servers regardless of their distance."""
        return _divide_or_none(self.seconds - self.round_trips, self.responses)

    @property
    def acknowledgement_time(self) -> float | None:
        """Mean seconds until a request with a deferred answer was accepted; `art` is until the answer."""
        return _divide_or_none(self.acknowledgement_seconds, self.acknowledged)

    @property
    def success_rate(self) -> float | None:
        """Share of the attempts with an accepted answer; it and the four rates below add up to 1."""
        return _divide_or_none(self.responses, self.attempts)

    @property
    def timeout_rate(self) -> float | None:
        return _divide_or_none(self.no_answer, self.attempts)

    @property
    def refusal_rate(self) -> float | None:
        """Share of the attempts that did not reach the server."""
        return _divide_or_none(self.connection, self.attempts)

    @property
    def broken_rate(self) -> float | None:
        """Share of the attempts that reached the server but got no readable answer."""
        return _divide_or_none(self.communication, self.attempts)

    @property
    def invalid_rate(self) -> float | None:
        """Share of the attempts whose answer breaks a rule."""
        return _divide_or_none(self.invalid, self.attempts)

    @property
    def valid_share(self) -> float | None:
        """Share of the readable answers that break no rule."""
        return _divide_or_none(self.responses, self.responses + self.invalid)
