"""Update of open pages after a server's calibration has changed."""

from django.db.models import F, Q, QuerySet

from annotations.results.models import Producer
from evaluation.calibration.models import Calibration


def mark_producers_to_reload_calibration_pages(calibrations: QuerySet[Calibration]) -> None:
    """Mark the producers whose pages show these calibrations, so that open pages reload them.

    Producers are marked instead of results because a server may have answered for very many articles. Users who see the
    annotations in training see a calibration; once its gold standard is published, everybody does.
    """
    training_producers = calibrations.values("run__producer")
    published_servers = calibrations.filter(gold__published__isnull=False).values("run__producer__queue__server")
    producers = Producer.objects.filter(Q(pk__in=training_producers) | Q(queue__server__in=published_servers))
    producers.update(renewed=F("renewed") + 1)
