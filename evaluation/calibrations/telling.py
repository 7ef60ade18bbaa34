"""Open pages are told that a server's confidences are worth something else."""

from django.db.models import F, Q, QuerySet

from annotations.models import Producer
from evaluation.calibrations.models import Calibration


def tell_pages(calibrations: QuerySet[Calibration]) -> None:
    """Pages of whoever sees these ask for them anew: by the producers of their servers, as a server may have answered
    for very many articles.

    Who sees what is said in training sees a calibration; once its gold standard is published everybody does.
    """
    in_training = calibrations.values("run__producer")
    of_all = calibrations.filter(gold__published__isnull=False).values("run__producer__queue__server")
    told = Producer.objects.filter(Q(pk__in=in_training) | Q(queue__server__in=of_all))
    told.update(renewed=F("renewed") + 1)
