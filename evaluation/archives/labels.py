"""What curators said of the articles of a phase, in an archive: every label with its time, and no curator's name."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotations.kinds import Finding, Kind
from annotations.models import Article, Producer
from evaluation.archives.result_lines import Said, store_said
from evaluation.archives.unpacking import Unpacked
from evaluation.archives.values import row_of, values_of
from evaluation.models import Label, Labeller, Labelling, Phase, Ruling

LABELLING = ("order", "again_every", "guideline", "begun")
LABEL = ("again", "relevant", "seconds", "capped", "at", "superseded")
RULING = ("relevant", "at", "superseded")


def labels_file(phase: Phase) -> str:
    return f"{phase.sort}/labels.json"


def labelling_of(phase: Phase) -> Labelling | None:
    """The labelling of a phase's articles, unless they are a test's that is not published: it is all but its gold
    standard."""
    if phase.sort == Phase.Sort.TEST and phase.published is None:
        return None
    return Labelling.objects.filter(challenge=phase.challenge_id, corpus=phase.corpus_id).first()


def labels_values(labelling: Labelling, names: Mapping[int, str]) -> dict[str, Any]:
    """names: what the archive calls the articles. Curators stand in the order in which they were named."""
    labellers = labelling.labellers.order_by("pk")
    return {
        **values_of(labelling, LABELLING),
        "curators": [rows(own.labels.order_by("pk"), LABEL, names) for own in labellers],
        "rulings": rows(labelling.rulings.order_by("pk"), RULING, names),
    }


def rows(said: Any, fields: Sequence[str], names: Mapping[int, str]) -> list[dict[str, Any]]:
    return [{"article": names[own.article_id], **values_of(own, fields)} for own in said if own.article_id in names]


def restore_labels(archive: Unpacked, phase: Phase, articles: Mapping[str, Article]) -> None:
    """The labelling as it was; its curators have no account here, and label no more. KeyError for an unknown article.

    Where two phases have one corpus its labelling is restored once.
    """
    told = archive.json(labels_file(phase))
    if Labelling.objects.filter(challenge=phase.challenge_id, corpus=phase.corpus_id).exists():
        return
    own = row_of(Labelling, told, LABELLING, challenge=phase.challenge, corpus=phase.corpus)
    own.save()
    for number, labels in enumerate(told["curators"], 1):
        restore_curator(own, f"Curator {number}", labels, articles)
    Ruling.objects.bulk_create(
        row_of(Ruling, each, RULING, labelling=own, article=articles[each["article"]]) for each in told["rulings"]
    )


def restore_curator(
    labelling: Labelling, name: str, told: Sequence[Mapping[str, Any]], articles: Mapping[str, Article]
) -> None:
    """A curator with all labels; what first readings say now are Results, as where they were given."""
    whose = f"{name}, {labelling.corpus}"[:200]
    producer = Producer.objects.create(sort=Producer.Sort.CURATOR, name=whose)
    labeller = Labeller.objects.create(labelling=labelling, producer=producer, released=labelling.begun)
    labels = [row_of(Label, own, LABEL, labeller=labeller, article=articles[own["article"]]) for own in told]
    Label.objects.bulk_create(labels)
    current = [
        Said(own["article"], label.at, label.seconds, "", [Finding(Kind.CLASSIFICATION, relevant=label.relevant)])
        for own, label in zip(told, labels, strict=True)
        if label.superseded is None and label.relevant is not None and not label.again
    ]
    store_said(producer, Kind.CLASSIFICATION, current, articles)
