"""Copy a challenge: its rules, tasks and phases, as a draft for its next edition."""

from dataclasses import dataclass

from bcms.challenge_definitions.creation import create_challenge_from_definition
from bcms.challenge_definitions.export import build_definition, remove_past_dates
from evaluation.challenges.models import Challenge
from evaluation.challenges.pictures.forms import list_picture_faults
from evaluation.challenges.setup.corpora import list_open_corpora_for_organizer
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class CopiedChallenge:
    """The copy. left_out: the types of phases that it does not have, as no other challenge can use their corpora.

    unmasked: the types of phases that hid the names of teams until a date that has passed, and show them in the copy.
    picture_faults: what is wrong with pictures in the description, which was so in the source, too.
    """

    challenge: Challenge
    left_out: list[str]
    unmasked: list[str]
    picture_faults: list[str]


def copy_challenge(source: Challenge, name: str, slug: str, organizer: User) -> CopiedChallenge:
    """Create a draft with the rules, tasks and phases of a challenge, but without gold standards, runs and past dates.

    ValidationError for names that a challenge cannot have.
    """
    given = build_definition(source)
    definition = remove_past_dates(given)
    names = [phase["corpus"] for phase in definition["phases"]]
    usable = set(list_open_corpora_for_organizer(organizer).filter(slug__in=names).values_list("slug", flat=True))
    phases = [phase for phase in definition["phases"] if phase["corpus"] in usable]
    challenge = create_challenge_from_definition(
        {**definition, "name": name, "slug": slug, "phases": phases}, organizer
    )
    masked = {phase["sort"] for phase in given["phases"] if phase["names_shown"]}
    return CopiedChallenge(
        challenge,
        left_out=[phase["sort"] for phase in definition["phases"] if phase not in phases],
        unmasked=[phase["sort"] for phase in phases if phase["sort"] in masked and "names_shown" not in phase],
        picture_faults=list_picture_faults(challenge, challenge.description),
    )
