"""Send the nanopublications of published digital abstracts to a nanopublication server, if the site has named one."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings
from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.curation.abstract_files import format_abstract_reference
from annotations.curation.models import PublishedAbstract
from annotations.curation.published_records import find_published_abstract, list_published_abstracts
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.formats.digital_abstracts.sentences import list_sentences
from annotations.nanopublications.errors import NanopublicationError
from annotations.nanopublications.signing import write_signed_nanopublications
from bcms.digital_abstracts.published_abstracts import export_published_abstract, get_licence_url
from bcms.lib.http.client import request_permitted_url
from bcms.lib.http.errors import HttpError

DEADLINE_SECONDS, LARGEST_REPLY = 60.0, 1_000_000


@dataclass(frozen=True, slots=True)
class SentRecord:
    """article: its reference. sent: how many nanopublications the server has taken. problem: "" for none."""

    article: str
    sent: int
    problem: str = ""


def iter_sent_records(articles: QuerySet[Article], server: str, key: rsa.RSAPrivateKey) -> Iterator[SentRecord]:
    """Send those of each article. A record that is sent again has the same addresses, which the server knows.

    After a problem, the rest of the record is left out, and the next record is tried. As nothing that is sent can be
    taken back, each record is loaded when it is its turn, and is sent only while it is published.
    """
    published = articles.filter(pk__in=list_published_abstracts().values("article")).order_by("pk")
    for article_id in list(published.values_list("pk", flat=True)):
        article = articles.filter(pk=article_id).first()
        record = find_published_abstract(article) if article else None
        if article and record:
            yield _send_record(article, record, server, key)


def _send_record(article: Article, record: PublishedAbstract, server: str, key: rsa.RSAPrivateKey) -> SentRecord:
    exported, sent, problem = export_published_abstract(record, article), 0, ""
    try:
        for document in _iter_documents(exported, key):
            _check_still_published(record)
            _send_document(document, server)
            sent += 1
    except (HttpError, NanopublicationError) as error:
        problem = str(error)
    return SentRecord(format_abstract_reference(exported), sent, problem)


def _check_still_published(record: PublishedAbstract) -> None:
    if not PublishedAbstract.objects.filter(pk=record.pk, withdrawn__isnull=True).exists():
        raise NanopublicationError("The record was replaced or withdrawn meanwhile, so the rest of it was not sent.")


def _iter_documents(exported: ExportedAbstract, key: rsa.RSAPrivateKey) -> Iterator[str]:
    published = datetime.fromisoformat(exported.abstract.updated)
    yield from write_signed_nanopublications(exported, list_sentences(exported), published, key, get_licence_url())


def _send_document(document: str, server: str) -> None:
    """HttpError if the server cannot be reached, NanopublicationError if it refuses."""
    reply = request_permitted_url(
        "POST",
        server,
        body=document.encode(),
        headers={"Content-Type": "application/trig"},
        deadline_seconds=DEADLINE_SECONDS,
        max_bytes=LARGEST_REPLY,
        extra_networks=settings.ALLOWED_NETWORKS,
    )
    if not 200 <= reply.status < 300:
        raise NanopublicationError(f"{server} refused it with HTTP status {reply.status}.")
