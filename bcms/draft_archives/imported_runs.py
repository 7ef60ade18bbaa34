"""The runs of an archive, stored as imported: they belong to no team of this site, and are scored anew."""

from collections.abc import Callable, Mapping
from functools import cache
from io import BytesIO
from typing import Any

from annotations.articles.models import Article
from annotations.formats.tsv.result_reader import LIBRARY_RULES
from annotations.formats.tsv.result_table import ExtraColumn
from annotations.results.bulk_storage import supersede_results_in_bulk_counting_annotations
from annotations.results.models import Producer
from annotations.schema import AnnotationData, Kind
from bcms.draft_archives.archive_reader import (
    get_dict,
    get_dicts,
    iter_json_lines,
    read_json_member,
    read_text_member,
    refuse_archive,
)
from bcms.draft_archives.parts import DraftPart
from bcms.lib.text import collapse_white_space, replace_unstorable_characters
from evaluation.runs.files.run_checks import RunRequirements, read_and_check_run
from evaluation.runs.files.run_reader import RunTarget
from evaluation.runs.models import Run

LoadTexts = Callable[[], Mapping[int, str]]
# Of a task in a phase.
MOST_RUNS = 1000
LONGEST_NAME = 200
LONGEST_TEAM_IN_PRODUCER = 60
# Kinds whose files are not tab-separated values with a rank.
KINDS_WITHOUT_RANK_COLUMN = (Kind.MENTION,)


def store_runs_of_part(part: DraftPart) -> int:
    """How many runs the part has. RefusedFileError with the faults of their files."""
    path = f"{part.folder}/scores.json"
    rows = get_dicts(get_dict(read_json_member(part.archive, path), path, "the document").get("runs"), path, "“runs”")
    load_texts = cache(lambda: dict(Article.objects.filter(pk__in=part.articles.values()).values_list("pk", "text")))
    if len({str(row.get("stem")) for row in rows}) < len(rows) or len(rows) > MOST_RUNS:
        raise refuse_archive(path, f"two runs have the same files, or there are more than {MOST_RUNS:,}")
    for row in rows:
        _store_run(part, row, path, load_texts)
    return len(rows)


def _store_run(part: DraftPart, row: Mapping[str, Any], path: str, load_texts: LoadTexts) -> None:
    stem, name, team = row.get("stem"), row.get("name"), row.get("team")
    # The archive may be that of a draft whose runs were imported already.
    team_name = team.get("name") if isinstance(team, dict) else row.get("imported_team", "")
    if not isinstance(stem, str) or not isinstance(name, str) or not isinstance(team_name, str):
        raise refuse_archive(path, "a run has no name, or its team has none")
    annotations = _read_run_annotations(part, stem, load_texts)
    run_name, team_name = _clean_name(name) or _clean_name(stem), _clean_name(team_name)
    label = f"{run_name[: LONGEST_NAME // 2]}, {team_name[:LONGEST_TEAM_IN_PRODUCER]}".rstrip(", ")
    producer = Producer.objects.create(sort=Producer.Type.RUN, name=f"{label} (imported)")
    supersede_results_in_bulk_counting_annotations(producer, part.kind, annotations)
    Run.objects.create(
        task=part.task,
        phase=part.phase,
        producer=producer,
        name=run_name,
        sort=Run.Source.IMPORTED,
        imported_team=team_name,
        baseline=_is_baseline(row),
    )


def _is_baseline(row: Mapping[str, Any]) -> bool:
    """Whether the run is a baseline that a site made, which no article shows. Baselines of organizers were uploaded."""
    return row.get("sort") == Run.Source.BASELINE or (
        row.get("sort") == Run.Source.IMPORTED and row.get("baseline") is True
    )


def _clean_name(name: str) -> str:
    return collapse_white_space(replace_unstorable_characters(name))[:LONGEST_NAME]


def _read_run_annotations(part: DraftPart, stem: str, load_texts: LoadTexts) -> dict[int, list[AnnotationData]]:
    """{key of an article: annotations}, also of articles that the run has answered with none."""
    path = f"{part.folder}/runs/{stem}.tsv"
    text = read_text_member(part.archive, path)
    annotations: dict[int, list[AnnotationData]] = {}
    if text:
        requirements = RunRequirements(
            LIBRARY_RULES,
            part.articles,
            load_texts,
            extra_columns=_list_extra_columns(part, text),
        )
        target = RunTarget(part.kind, part.task.name, part.task.get_settings())
        checked = read_and_check_run(BytesIO(text.encode()), path, target, requirements)
        annotations = {key: list(found) for key, found in checked.findings.items()}
    for name in _list_answered_names(part, stem):
        if name in part.articles:
            annotations.setdefault(part.articles[name], [])
    return annotations


def _list_extra_columns(part: DraftPart, text: str) -> list[ExtraColumn] | None:
    """The columns that the site wrote after the result: without them, a rank of 1 could be a confidence."""
    if part.kind in KINDS_WITHOUT_RANK_COLUMN or part.task.get_settings() is not None:
        return None
    columns = text.partition("\n")[0].count("\t") + 1
    return ["rank"] if columns == COLUMNS_BEFORE_RANK[part.kind] + 1 else ["rank", "confidence"]


# The columns of the article and of the result.
COLUMNS_BEFORE_RANK = {
    Kind.CLASSIFICATION: 2,
    Kind.TAXON: 2,
    Kind.NORMALIZATION: 2,
    Kind.METHOD: 2,
    Kind.PAIR: 3,
    Kind.PASSAGE: 4,
}


def _list_answered_names(part: DraftPart, stem: str) -> list[str]:
    path = f"{part.folder}/results/{stem}.jsonl"
    names = []
    for row in iter_json_lines(part.archive, path):
        if not isinstance(row.get("article"), str):
            raise refuse_archive(path, "a line is not that of an article")
        if "superseded" not in row:
            names.append(row["article"])
    return names
