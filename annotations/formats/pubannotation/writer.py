"""Writes PubAnnotation: one document, or a list of documents if there are several.

A document with the annotations of one producer, and of one version of its system, has these itself; with several, it
has a track for each. written_track.py describes what is in both. Divisions are the passages; positions count code
points.
Source: https://www.pubannotation.org/docs/annotation-format/
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from annotations.formats.articles.annotated_article import AnnotatedArticle, ProducerResult
from annotations.formats.pubannotation.written_track import PubAnnotationJson, PubAnnotationTrack


def write_pubannotation(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """An only document by itself; several as a JSON list with one document per line; an empty list for none."""
    lines = (json.dumps(_build_pubannotation_document(article), ensure_ascii=False) for article in articles)
    line = next(lines, None)
    if line is None:
        yield "[]\n"
        return
    following = next(lines, None)
    if following is None:
        yield f"{line}\n"
        return
    yield f"[\n{line}"
    while following is not None:
        yield f",\n{following}"
        following = next(lines, None)
    yield "\n]\n"


def _build_pubannotation_document(article: AnnotatedArticle) -> PubAnnotationJson:
    ids = article.ids
    metadata = {
        "pmcid": ids.pmcid,
        "doi": ids.doi,
        "journal": article.journal,
        "year": article.year,
        "authors": list(article.authors),
    }
    return {
        "sourcedb": "PubMed" if ids.pmid else "BCMS",
        "sourceid": article.id,
        **{key: value for key, value in metadata.items() if value},
        "text_version": article.text_version,
        "text": article.text,
        "divisions": [
            {"span": {"begin": start, "end": start + len(passage.text)}, "label": passage.type}
            for start, passage in article.iter_passage_offsets()
        ],
        **_build_annotations(article),
    }


def _build_annotations(article: AnnotatedArticle) -> PubAnnotationJson:
    """The members of the only track, or all tracks; without results, no denotations."""
    tracks = list(_iter_pubannotation_tracks(article.results, article.text))
    if not tracks:
        return {"denotations": []}
    return tracks[0].build_json() if len(tracks) == 1 else {"tracks": [track.build_json() for track in tracks]}


def _iter_pubannotation_tracks(results: Sequence[ProducerResult], text: str) -> Iterator[PubAnnotationTrack]:
    """A track for each producer and version, whose results must follow each other."""
    for producer, producer_results in groupby(results, key=lambda result: result.producer):
        track = PubAnnotationTrack(producer, text)
        track.add_results(list(producer_results))
        yield track
