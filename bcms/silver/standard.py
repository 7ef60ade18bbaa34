"""Build the silver standard: the consensus of the annotators as a data set, and its files in every format."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from django.contrib.auth.models import User

from annotations.articles.models import Corpus
from annotations.data_sets.models import DataSet, DataSetArticle, Licence
from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer
from annotations.formats.exports import DOWNLOADS
from annotations.schema import Kind
from bcms.data_sets.building_job import build_slice_unless_busy
from bcms.data_sets.creation import create_data_set
from bcms.data_sets.queries import DataSetView, build_data_set_view
from bcms.data_sets.recipes import RecipeInput
from bcms.search.exports.exported_articles import iter_public_articles_with_producers
from bcms.silver.storage import CORPUS

PrintLine = Callable[[str], None]
KINDS = (Kind.MENTION, Kind.NORMALIZATION, Kind.TAXON, Kind.CLASSIFICATION)


class SilverError(Exception):
    """Why the silver standard cannot be built."""


def build_silver_standard(method: str, threshold: float | None, print_line: PrintLine) -> DataSet:
    """The consensus of all accepted servers on the corpus of the silver standard; DataSetError or SilverError."""
    owner = User.objects.create_user("silver")
    corpus = Corpus.objects.get(slug=CORPUS)
    recipe = RecipeInput(
        name="Silver standard",
        description="The consensus of thirteen variations of the reference annotators on abstracts of PubMed.",
        licence=Licence.CC0,
        corpus=corpus,
        kinds=KINDS,
        method=method,
        threshold=threshold,
    )
    data_set = create_data_set(owner, recipe)
    while (outcome := build_slice_unless_busy(data_set.pk)) == "more":
        data_set.refresh_from_db()
        print_line(f"  {data_set.done:,} of {data_set.total:,} articles")
    data_set.refresh_from_db()
    if outcome != "built":
        raise SilverError(f"The consensus could not be built. {data_set.problem}")
    return data_set


def write_silver_files(data_set: DataSet, folder: Path, print_line: PrintLine) -> None:
    """A file in every export format, what some of them leave out, and recipe.json.

    The recipe says what it is, how it was made, its size and agreement.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for export in DOWNLOADS.values():
        path = folder / f"{export.slug}.{export.suffix}"
        with path.open("wb") as file:
            file.writelines(export.write(_iter_articles(data_set)))
        print_line(f"  {path} {path.stat().st_size:,} bytes")
    view = build_data_set_view(data_set, data_set.owner)
    (folder / "recipe.json").write_text(json.dumps(_describe_data_set(view), indent=2) + "\n", encoding="utf-8")


def _iter_articles(data_set: DataSet) -> Iterator[AnnotatedArticle]:
    members = DataSetArticle.objects.filter(data_set=data_set).order_by("article")
    producer = ExportedProducer(data_set.producer.name, data_set.producer.sort, "")
    keys = members.values_list("article_id", flat=True).iterator()
    return iter_public_articles_with_producers(keys, {data_set.producer_id: producer})


def _describe_data_set(view: DataSetView) -> dict[str, object]:
    return {
        "name": view.data_set.name,
        "description": view.data_set.description,
        "licence": view.data_set.licence,
        "articles": view.data_set.number_of_articles,
        "method": view.data_set.method,
        "threshold": view.threshold,
        "spans": view.data_set.spans,
        "match": view.data_set.match,
        "producers": [source.name for source in view.sources],
        "sizes": {size.kind: {"articles": size.articles, "annotations": size.annotations} for size in view.sizes},
        "agreement": {
            own.kind: {"articles": own.articles, "mean_f1": own.mean_f1, "fleiss_kappa": own.fleiss}
            for own in view.agreements
        },
    }
