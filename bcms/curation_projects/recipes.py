"""What is proposed to the curators of a project."""

from collections.abc import Mapping

from annotations.curation.models import Curation
from annotations.curation.projects.experiments import has_help
from annotations.curation.projects.models import CurationProject, ProjectHelp
from annotations.results.consensus.methods import MentionMatching, SpanMatching
from bcms.curation.proposals import ProposalRecipe

DEFAULT_RECIPE = ProposalRecipe()


def find_recipe_of_curation(curation: Curation) -> ProposalRecipe | None:
    """What its page proposes: the recipe of its project, that of the site without a project, or None for nothing.

    At most 1 query.
    """
    project = curation.curator.project
    if not has_help(curation):
        return None
    return DEFAULT_RECIPE if project is None else find_recipe_of_project(project)


def find_recipe_of_project(project: CurationProject) -> ProposalRecipe | None:
    """None if its curators see the article only."""
    return None if project.help == ProjectHelp.NONE else parse_recipe(project.recipe)


def parse_recipe(values: Mapping[str, object]) -> ProposalRecipe:
    """The recipe of the values that build_recipe_values stores; those that are missing have their defaults."""
    converted: dict[str, object] = dict(values)
    if "spans" in converted:
        converted["spans"] = SpanMatching(str(converted["spans"]))
    if "match" in converted:
        converted["match"] = MentionMatching(str(converted["match"]))
    return ProposalRecipe(**converted)  # type: ignore[arg-type]


def build_recipe_values(method: str, threshold: float | None) -> dict[str, object]:
    """The recipe of a project as JSON; empty for the default of the site."""
    return {"method": method, "threshold": threshold} if method else {}
