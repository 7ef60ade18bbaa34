"""Send the nanopublications of published digital abstracts to a nanopublication server, if the site has named one."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings
from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.curation.abstract_files import format_abstract_reference
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.formats.digital_abstracts.sentences import list_sentences
from annotations.nanopublications.errors import NanopublicationError
from annotations.nanopublications.signing import write_signed_nanopublications
from bcms.digital_abstracts.published_abstracts import get_licence_url, iter_published_abstracts
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

    After a problem, the rest of the record is left out, and the next record is tried.
    """
    for exported in iter_published_abstracts(articles):
        sent, problem = 0, ""
        try:
            for document in _iter_documents(exported, key):
                _send_document(document, server)
                sent += 1
        except (HttpError, NanopublicationError) as error:
            problem = str(error)
        yield SentRecord(format_abstract_reference(exported), sent, problem)


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
