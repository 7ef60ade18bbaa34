"""Who may curate blind articles, and whose work a curation is."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotations.articles.models import Corpus, CorpusArticle
from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.manuscripts.states import ManuscriptState
from annotations.curation.models import Curation
from annotations.curation.states import CurationState
from evaluation.challenges.models import Challenge
from evaluation.challenges.participants.admission import find_team_participating_or_asking
from evaluation.errors import ChallengeError
from servers.teams.models import Team
from servers.teams.permissions import User


def check_not_competing_on_blind_corpus(corpus: Corpus, challenge: Challenge | None, user: User) -> None:
    """ChallengeError if the corpus is blind and the user is on a team that takes part in its challenge."""
    if not corpus.blind or challenge is None:
        return
    team = find_team_participating_or_asking(challenge, user)
    if team is not None:
        raise ChallengeError(
            f"{user.get_username()} is on {team}, which takes part in {challenge}, and these articles are blind; "
            "choose a curator who is on no team of the challenge."
        )


def competes_on_blind_corpus(user: User, corpus: Corpus) -> bool:
    """Whether the corpus is blind, and a team of the user takes part in its challenge: 1 query, none if it is not."""
    competing = _list_challenges_of_own_teams(user).values("pk")
    return corpus.blind and Corpus.objects.filter(pk=corpus.pk, owner__challenge__in=competing).exists()


def _list_challenges_of_own_teams(user: User) -> QuerySet[Challenge]:
    """Those in which a team of the user takes part or asked to."""
    teams = Team.objects.filter(members=user.pk)
    return Challenge.objects.filter(Q(entrants__team__in=teams) | Q(phases__runs__team__in=teams))


def list_curations_of_user(user: User) -> QuerySet[Curation]:
    """The curations that the user may open: their own ones and those that they are assigned.

    Of projects that they left or that are closed, only finished ones; none of blind articles of a challenge in which a
    team of theirs takes part, and none of manuscripts that are withdrawn or no longer assigned to them.
    """
    if not user.is_authenticated:
        return Curation.objects.none()
    competing = _list_challenges_of_own_teams(user)
    working = Q(curator__released__isnull=True, curator__project__closed__isnull=True)
    blind = CorpusArticle.objects.filter(
        article=OuterRef("article"), corpus__blind=True, corpus__owner__challenge__in=competing.values("pk")
    )
    own = Curation.objects.filter(curator__user=user.pk).filter(working | Q(state=CurationState.FINISHED))
    manuscript = Manuscript.objects.filter(article=OuterRef("article"))
    closed = Exists(manuscript.filter(state=ManuscriptState.WITHDRAWN)) | Q(Exists(manuscript), basis__isnull=True)
    return own.exclude(Exists(blind) | closed, article__blind=True)
