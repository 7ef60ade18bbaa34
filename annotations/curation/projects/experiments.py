"""Experiments: projects in which servers propose something for one half of the articles, drawn at random."""

from collections.abc import Iterable, Sequence

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef

from annotations.curation.errors import CurationError
from annotations.curation.models import Curation
from annotations.curation.projects.models import CurationProject, ProjectHelp
from annotations.curation.projects.random_arms import draw_arms
from annotations.curation.states import CurationArm, CurationState


def is_experiment(project: CurationProject | None) -> bool:
    return project is not None and project.help == ProjectHelp.RANDOM


def set_random_arms(project: CurationProject, curations: Sequence[Curation]) -> None:
    """Give new curations, which are not stored yet, their arms if the project is an experiment: 1 query then.

    The caller has locked the project.
    """
    if not is_experiment(project):
        return
    known = Curation.objects.filter(curator__project=project).exclude(arm="")
    earlier = {
        (curator, article): CurationArm(arm) for curator, article, arm in known.values_list("curator", "article", "arm")
    }
    pairs = [(curation.curator_id, curation.article_id) for curation in curations]
    arms = draw_arms(pairs, earlier, project.arm_seed or 0)
    for curation, pair in zip(curations, pairs, strict=True):
        curation.arm = arms[pair]


def withdraw_proposals_from_unhelped(project: CurationProject) -> None:
    """Keep no list of candidates where a curator who has no help in the project curates the same article elsewhere.

    Such a curation may have been opened before; its page and REST propose from the stored list. 1 query, none outside
    of experiments.
    """
    if not is_experiment(project):
        return
    same = {"article": OuterRef("article"), "curator__user": OuterRef("curator__user")}
    unhelped = Curation.objects.filter(curator__project=project, arm=CurationArm.WITHOUT_HELP, **same)
    elsewhere = Curation.objects.exclude(arm=CurationArm.WITHOUT_HELP)
    # Also those without a list, so that one that is stored in the meantime is waited for.
    elsewhere.filter(Exists(unhelped.exclude(state=CurationState.FINISHED))).update(candidates=None)


def lock_accounts_of_curators(user_ids: Iterable[int | None]) -> None:
    """Until the end of the transaction nobody else assigns or begins curations of these accounts.

    So a curation that is begun while the same article is assigned is seen by the assignment, or sees it.
    """
    wanted = sorted({user for user in user_ids if user is not None})
    list(User.objects.select_for_update(no_key=True).filter(pk__in=wanted).order_by("pk").values_list("pk"))


def has_help(curation: Curation) -> bool:
    """Whether anything may be proposed: 1 query unless the curation itself is without help.

    Somebody who curates an article without help gets no proposals for it in another project or outside of one, either,
    until they have finished it.
    """
    if curation.arm == CurationArm.WITHOUT_HELP:
        return False
    others = Curation.objects.filter(article=curation.article_id, curator__user=curation.curator.user_id)
    unfinished = others.filter(arm=CurationArm.WITHOUT_HELP).exclude(state=CurationState.FINISHED)
    return curation.curator.user_id is None or not unfinished.exists()


def is_without_help_yet(curation: Curation) -> bool:
    """Whether its curator still works from the text alone."""
    return curation.arm == CurationArm.WITHOUT_HELP and curation.state != CurationState.FINISHED


def check_not_measured(curation: Curation, refused: str) -> None:
    """CurationError if the time and the record of the curation count in an experiment. refused: what cannot be done."""
    if curation.arm and curation.state != CurationState.ASSIGNED:
        raise CurationError(
            f"This article is part of an experiment, which counts the time and the record of one person. {refused}"
        )
