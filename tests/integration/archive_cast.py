"""A challenge with a bit of everything that an archive has: tasks, teams, uploads, online runs, baselines, ranks."""

import json
import zipfile

from django.utils import timezone

from annotations.identifiers.models import Entry
from annotations.schema import AnnotationData, Kind
from evaluation import tasks
from evaluation.archives.export.challenge import write_publishable_archive_returning_manifest_hash
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.leaderboards import baselines
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.teams.models import Membership, Team
from tests.integration.evaluation_cast import answer, make_challenge, make_corpus, make_server, relevant

GN_GOLD = b"101\tP04637\n101\tP02340\n102\tP02340\n103\tP04637\n"
ENTRIES = [
    Entry(database="uniprot", identifier="P04637", taxon=9606, exists=True),
    Entry(database="uniprot", identifier="P53_HUMAN", exists=True, successors=["P04637"]),
    Entry(database="uniprot", identifier="P02340", taxon=10090, exists=True),
    Entry(database="uniprot", identifier="P53_MOUSE", exists=True, successors=["P02340"]),
    Entry(database="uniprot", identifier="P10361", taxon=10116, exists=True),
]
# Ranks with gaps and ties of confidences, an item twice, a wrong organism, articles that the phase does not have.
GN_FIRST = b"101\tP10361\t9\t0.2\n101\tP04637\t2\t0.9\n102\tP02340\t1\t0.5\n102\tP04637\t2\t0.5\n999\tP04637\t1\t0.5\n"
GN_SECOND = b"103\tP04637\t0.5\n103\tP02340\t0.5\n101\tP02340\t0.25\n104\tP04637\t1.0\n"
ACT_FIRST = b"101\t1\t0.3\n102\t1\t0.8\n103\t1\t0.5\n104\t0\t0.5\n"

# What boards say of the challenge and the site that they are of.
WHERE = ("challenge", "server", "version")


def beta(django_user_model):
    team = Team.objects.create(name="Team Beta", slug="team-beta")
    bob = django_user_model.objects.create_user("bob", "bob@example.org", "a-long-password")
    Membership.objects.create(team=team, user=bob, role="member")
    return team, bob


def submit_run_content(task, phase, team, by, name, content):
    own = intake.store_run_upload_and_process_or_enqueue(
        RunSubmission(name, "All of it.", f"{name}.tsv", content), task, phase, team, by
    )
    assert own.state == "taken", own.located_faults
    return own.run


def play_challenge(olga, team, alice, other, bob):
    """The challenge, all of its runs scored and ranked."""
    Entry.objects.bulk_create(ENTRIES)
    challenge = make_challenge(olga, make_corpus())
    challenge.phases.update(upload_caps={"normalization": 250})
    phase, act = challenge.phases.get(), challenge.tasks.get(name="ACT")
    gn = creation.create_task(challenge, "GN", Kind.NORMALIZATION, "Genes & proteins")
    store_gold_sealed_or_open(gn, phase, GN_GOLD, "gn.tsv")
    submit_run_content(gn, phase, team, alice, "First <b>", GN_FIRST)
    submit_run_content(gn, phase, other, bob, "Second", GN_SECOND)
    submit_run_content(act, phase, other, bob, "Calls", ACT_FIRST)
    online = enter_eligible_server_and_enqueue_articles(
        make_server(team, "online", [Kind.CLASSIFICATION, Kind.NORMALIZATION]), phase
    )
    for pmid, letter in zip((101, 102, 103), "TTF", strict=True):
        answer(online[0], pmid, relevant(letter == "T"), duration=pmid / 8)
    proteins = [AnnotationData(Kind.NORMALIZATION, None, None, database="uniprot", identifier="P04637")]
    answer(online[1], 101, proteins, duration=0.25)
    answer(online[1], 102, [], duration=0.5)
    baselines.store_baseline_runs_replacing_earlier(act, phase)
    for run in Run.objects.filter(phase=phase, producer__results__isnull=False).distinct().order_by("pk"):
        compute_and_store_run_scores(run)
    tasks.rank_stale_boards_unless_busy()
    return challenge


def write_challenge_archive(challenge, path):
    with path.open("wb") as file:
        write_publishable_archive_returning_manifest_hash(challenge, file.write, timezone.now())
    return path


def extract_archive_files(path, folder):
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return folder


def read_archived_boards(path):
    """The boards of an archive, but for what a challenge is called and what stands behind a run."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("boards/") and name.endswith(".json")]
        every = {name: json.loads(archive.read(name)) for name in names}
    for boards in every.values():
        for board in boards.values():
            for name in WHERE:
                board.pop(name, None)
            for row in board["runs"]:
                row.pop("server")
    return every
