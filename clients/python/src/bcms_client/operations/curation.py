"""The curations of the account, and structured digital abstracts."""

from pathlib import Path

from bcms_client.address import build_path
from bcms_client.calls import Call, Download, ListCall, QueryValue, get, post, post_file
from bcms_client.reading import make_list_reader
from bcms_client.records.articles import DigitalAbstractFormat
from bcms_client.records.curation import (
    Curation,
    CurationDetail,
    CurationProject,
    DigitalAbstract,
    TakenOver,
    Worklist,
)

ORDERS = ("given", "disagreement", "likely")
ORIGINS = ("system", "author", "curator")


def get_worklist(*, project: int | None = None, order: str | None = None) -> Call[Worklist]:
    """Your curations, and articles to curate next; order: one of ORDERS."""
    return get("curation-worklist/", Worklist, {"project": project, "order": order})


def list_curation_projects() -> ListCall[CurationProject]:
    """The curation projects that you take part in."""
    return ListCall("curation-projects/", CurationProject)


def list_curations() -> ListCall[Curation]:
    """Your own curations, changed last first."""
    return ListCall("curations/", Curation)


def begin_curation(article: str, *, continue_record: bool | None = None) -> Call[Curation]:
    """Begin to curate a public article, or go on with it; continue_record: from its published digital abstract."""
    return post("curations/", Curation, {"article": article, "continue_record": continue_record})


def get_curation(curation: int) -> Call[CurationDetail]:
    """One of your curations, with what you decided and the record so far."""
    return get(build_path("curations", curation), CurationDetail)


def upload_digital_abstract(
    curation: int, file: str | Path, *, origin: str | None = None, basis: str | None = None
) -> Call[TakenOver]:
    """Add the content of a file to a curation; origin: one of ORIGINS, basis: a name for what it is from."""
    form = {"origin": origin, "basis": basis}
    return post_file(build_path("curations", curation, "file"), TakenOver, Path(file), form)


def finish_curation(curation: int, seen: int, *, nothing_found: bool | None = None) -> Call[Curation]:
    """Store the record; seen: the revision that you saw. ConflictError if there is a newer one."""
    return post(build_path("curations", curation, "finish"), Curation, {"seen": seen, "nothing_found": nothing_found})


def list_digital_abstract_formats() -> Call[tuple[DigitalAbstractFormat, ...]]:
    """The formats of files with digital abstracts."""
    return Call("GET", "digital-abstracts/", make_list_reader(DigitalAbstractFormat))


def get_digital_abstract(article: str) -> Call[DigitalAbstract]:
    """The published digital abstract of an article. NotFoundError if there is none."""
    return get(build_path("articles", article, "digital-abstract"), DigitalAbstract)


def download_digital_abstract(article: str, format: str, target: str | Path) -> Download:
    """Write the published digital abstract of an article to a file."""
    return Download(build_path("articles", article, "digital-abstract", format), Path(target))


def download_digital_abstracts(format: str, target: str | Path, /, **filters: QueryValue) -> Download:
    """Write the published digital abstracts of all articles that match to a file; filters as for list_articles."""
    return Download(build_path("digital-abstracts", format), Path(target), filters)
