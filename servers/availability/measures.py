"""How dependable and how quick a server was over a window of time.

Source: Perez-Perez et al. 2019, J Cheminform 11:42, tables 1 and 2, made exact where they leave a choice: time that
was not observed or was planned maintenance counts as neither up nor down, a downtime that is not over counts with its
length so far, and a server that never failed has no time between failures but at least the time it was up.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from servers.availability.percentiles import PERCENTS
from servers.availability.spans import Span, common, seconds, tidy, without


@dataclass(frozen=True, slots=True)
class History:
    """What is known of a server: when it was at work, when it was down, paused by its own word, and away by plan.

    The spans may overlap and come in any order; what is not over ends with the window.
    """

    at_work: Sequence[Span]
    down: Sequence[Span]
    paused: Sequence[Span] = ()
    maintenance: Sequence[Span] = ()


@dataclass(frozen=True, slots=True)
class Dependability:
    """observed, down, down_or_paused: seconds, each within the one before; failures: downtimes with a part in it.

    down_now: the last downtime reaches to the end of the window.
    """

    observed: float = 0.0
    down: float = 0.0
    down_or_paused: float = 0.0
    failures: int = 0
    down_now: bool = False

    @property
    def up(self) -> float:
        """Seconds."""
        return self.observed - self.down

    @property
    def availability(self) -> float | None:
        """up / (up + down), in [0, 1]; None when nothing was observed. A server that says it pauses is up."""
        return self.up / self.observed if self.observed else None

    @property
    def strict_availability(self) -> float | None:
        """The same, with a server down that says that it is suspended or overloaded."""
        return (self.observed - self.down_or_paused) / self.observed if self.observed else None

    @property
    def mtbf(self) -> float | None:
        """Mean time between failures, seconds: up / failures. None without a failure: it is at least `up` then."""
        return self.up / self.failures if self.failures else None

    @property
    def mttr(self) -> float | None:
        """Mean time to repair, seconds: down / failures; None without a failure. Too small while `down_now`."""
        return self.down / self.failures if self.failures else None


def dependability(window: Span, history: History) -> Dependability:
    """The seconds and failures of a history that lie in a window.

    A downtime that the window cuts counts as one failure, with the part inside; so does one that maintenance cuts. One
    that lies in maintenance, or outside the time at work, is none.
    """
    observed = without(common([window], tidy(history.at_work)), tidy(history.maintenance))
    downtimes = tidy(history.down)
    down = common(observed, downtimes)
    away = common(observed, tidy([*history.down, *history.paused]))
    starts = [downtime.start for downtime in downtimes]
    failed = {bisect_right(starts, part.start) for part in down}
    return Dependability(
        observed=seconds(observed),
        down=seconds(down),
        down_or_paused=seconds(away),
        failures=len(failed),
        down_now=bool(down) and down[-1].end == window.end,
    )


def ratio(above: float, below: float) -> float | None:
    return above / below if below else None


@dataclass(frozen=True, slots=True)
class Answers:
    """Attempts by outcome, and sums over the accepted answers (answered and empty).

    seconds: response times, from the last byte sent to the last byte received or to the call-back, added up;
    document_bytes: the texts that were answered for, in UTF-8; percentiles: seconds by percent; round_trips: seconds
    that connecting took, of each answer no more than its response time; acknowledged: the answers that came later, and
    acknowledgement_seconds: until the questions of those were accepted.
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
        """Accepted answers."""
        return self.answered + self.empty

    @property
    def attempts(self) -> int:
        return self.responses + self.invalid + self.connection + self.communication + self.no_answer

    @property
    def mad(self) -> float | None:
        """Mean annotations per response; None without any."""
        return ratio(self.annotations, self.responses)

    @property
    def mad_per_document(self) -> float | None:
        """The same per document, which differs where a response answers for several."""
        return ratio(self.annotations, self.documents)

    @property
    def seconds_per_byte(self) -> float | None:
        """Mean time per document volume, as its formula says: response time / document size."""
        return ratio(self.seconds, self.document_bytes)

    @property
    def bytes_per_second(self) -> float | None:
        """Mean time per document volume, as its unit says."""
        return ratio(self.document_bytes, self.seconds)

    @property
    def mtsa(self) -> float | None:
        """Mean time to seek an annotation: seconds of response per annotation; None when there are no annotations."""
        return ratio(self.seconds, self.annotations)

    @property
    def art(self) -> float | None:
        """Average response time: seconds per response."""
        return ratio(self.seconds, self.responses)

    @property
    def round_trip(self) -> float | None:
        """Mean seconds of a round trip in which the server does nothing: the connecting before each response."""
        return ratio(self.round_trips, self.responses)

    @property
    def art_less_round_trip(self) -> float | None:
        """ART without the way there and back, by which servers far away are as slow as they compute."""
        return ratio(self.seconds - self.round_trips, self.responses)

    @property
    def acknowledgement_time(self) -> float | None:
        """Mean seconds until a question was accepted that was answered later; ART is until the answer."""
        return ratio(self.acknowledgement_seconds, self.acknowledged)

    @property
    def success_rate(self) -> float | None:
        """Share of the attempts that were accepted; with the four below it adds up to 1."""
        return ratio(self.responses, self.attempts)

    @property
    def timeout_rate(self) -> float | None:
        return ratio(self.no_answer, self.attempts)

    @property
    def refusal_rate(self) -> float | None:
        """Share of the attempts that did not reach the server."""
        return ratio(self.connection, self.attempts)

    @property
    def broken_rate(self) -> float | None:
        """Share of the attempts that reached the server and got no answer that can be read."""
        return ratio(self.communication, self.attempts)

    @property
    def invalid_rate(self) -> float | None:
        """Share of the attempts whose answer breaks a rule."""
        return ratio(self.invalid, self.attempts)

    @property
    def valid_share(self) -> float | None:
        """Share of the answers that can be read in which every rule holds."""
        return ratio(self.responses, self.responses + self.invalid)
