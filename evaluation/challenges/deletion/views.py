"""The actions with which organizers delete a challenge without runs, and a corpus that nothing uses."""

from django.contrib import messages
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from bcms.lib.confirmation import UNDONE, ConfirmationQuestion
from evaluation.challenges.deletion.challenge_deletion import (
    check_challenge_can_be_deleted,
    delete_challenge_without_runs,
    list_deleted_parts,
)
from evaluation.challenges.deletion.corpus_deletion import (
    check_corpus_can_be_deleted,
    delete_unused_corpus,
    list_own_corpora,
)
from evaluation.challenges.form_pages import organizer_confirmed_action
from evaluation.challenges.models import Challenge

ARTICLES_STAY = "The articles stay on this site."


def _describe_challenge_deletion(challenge: Challenge) -> ConfirmationQuestion:
    check_challenge_can_be_deleted(challenge)
    return ConfirmationQuestion(
        f"Delete {challenge}?",
        [*list_deleted_parts(challenge), ARTICLES_STAY, UNDONE],
        "Delete this challenge",
        reverse("challenge-organize", args=[challenge.slug]),
        typed=challenge.slug,
    )


@organizer_confirmed_action(_describe_challenge_deletion)
def delete_challenge(request: HttpRequest, challenge: Challenge) -> None:
    delete_challenge_without_runs(challenge)
    messages.success(request, f"{challenge} was deleted.")


def _describe_corpus_deletion(challenge: Challenge, corpus: str) -> ConfirmationQuestion:
    own = get_object_or_404(list_own_corpora(challenge), slug=corpus)
    check_corpus_can_be_deleted(challenge, own)
    return ConfirmationQuestion(
        f"Delete the corpus {own}?",
        [f"The list of its {own.articles.count():,} articles is deleted.", ARTICLES_STAY, UNDONE],
        "Delete this corpus",
        reverse("challenge-organize", args=[challenge.slug]),
        typed=own.slug,
    )


@organizer_confirmed_action(_describe_corpus_deletion)
def delete_corpus(request: HttpRequest, challenge: Challenge, corpus: str) -> None:
    own = get_object_or_404(list_own_corpora(challenge), slug=corpus)
    delete_unused_corpus(challenge, own)
    messages.success(request, f"The corpus {own} was deleted. Its articles stay.")
