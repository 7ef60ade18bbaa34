"""Store what was proposed to curators, once for each recipe, text and state of the annotations."""

import hashlib
import json
from collections.abc import Iterable, Mapping

from django.db import transaction

from annotations.articles.models import Article
from annotations.curation.candidate_building import CandidateData
from annotations.curation.models import CandidateList
from bcms.lib.copy_lines import NULL, copy_lines, format_copy_line, format_number_array_cell, format_text_cell

# A long article has thousands, and its curator waits for them.
COPY_CANDIDATES = """
    COPY annotations_candidate
    (candidate_list_id, kind, key, "group", position, content, producers, confidence) FROM STDIN
"""


def find_candidate_list(article: Article, fingerprint: str) -> CandidateList | None:
    """The list that was stored for this state of the annotations."""
    return CandidateList.objects.filter(article=article, fingerprint=fingerprint).first()


def compute_fingerprint(article: Article, recipe: Mapping[str, object], result_ids: Iterable[int]) -> str:
    """Equal for the same recipe on the same Results and text."""
    # With the article: the lists of a blind snapshot become those of its public article, which has its own.
    state = [article.pk, article.text_version, recipe, sorted(result_ids)]
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


@transaction.atomic
def store_candidate_list(
    article: Article, recipe: Mapping[str, object], fingerprint: str, candidates: Iterable[CandidateData]
) -> CandidateList:
    """Store a list; if another process has stored it meanwhile, that one is returned."""
    stored, created = CandidateList.objects.get_or_create(
        article=article,
        fingerprint=fingerprint,
        defaults={"text_version": article.text_version, "recipe": recipe},
    )
    if created:
        copy_lines(COPY_CANDIDATES, (_format_candidate_line(stored.pk, *each) for each in enumerate(candidates)))
    return stored


def _format_candidate_line(list_id: int, position: int, candidate: CandidateData) -> str:
    return format_copy_line(
        (
            str(list_id),
            candidate.kind,
            format_text_cell(candidate.key),
            format_text_cell(candidate.group),
            str(position),
            format_text_cell(json.dumps(candidate.content)),
            format_number_array_cell(candidate.producers),
            NULL if candidate.confidence is None else str(candidate.confidence),
        )
    )
