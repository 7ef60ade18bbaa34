"""Fill an empty site for the demo: articles, identifiers, corpora, people, servers and a challenge.

All data is created by the operations that the pages use. A second start finds the challenge and only updates the
URLs of the servers.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import transaction
from django.utils.text import slugify

from annotations.articles import corpora
from annotations.articles.imports.citation_import import ImportProgress, import_citation_file
from annotations.articles.imports.citation_storage import ImportCounts
from annotations.articles.models import Corpus
from annotations.identifiers.entry_storage import store_identifier_table_all_or_none
from annotations.identifiers.tables import species as tables_species
from bcms.demo.annotators import ANNOTATORS, LEXICON, DemoAnnotator
from bcms.demo.content import CHALLENGE, CORPORA, MANUSCRIPT_TOKEN_FILE, PEOPLE, TASKS, TEAMS, DemoCorpus
from bcms.demo.corpus_files import has_last_demo_corpus_file, write_demo_corpora_and_gold_standards
from bcms.demo.data_archives import DemoFiles, PrintLine
from bcms.demo.manuscript import submit_demo_manuscript_once
from evaluation.challenges.models import Challenge, ChallengeState, Phase
from evaluation.challenges.participants.answerable_tasks import list_kinds_to_answer
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.challenges.states.transitions import change_challenge_state
from evaluation.gold import storage
from evaluation.leaderboards.baselines import store_baseline_runs_replacing_earlier
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.review.states import ReviewState
from servers.teams.models import Membership, Team

SPECIES = Path(tables_species.__file__).with_name("species.tsv")


def _is_seeded() -> bool:
    return Challenge.objects.filter(slug=CHALLENGE.slug, phases__published__isnull=False).exists()


def _load_demo_articles(archives: DemoFiles, folder: Path, print_line: PrintLine) -> None:
    """Load articles, identifiers and corpora; running it again changes nothing."""
    for path in (archives.older, archives.newer):
        print_line(f"Importing the articles in {path.name}")
        import_citation_file(path, _throttle_progress(5000, lambda counts: print_line(f"  {counts.stored:,} articles")))
    print_line("Loading the names of genes, organisms, diseases and chemicals")
    for table in (archives.hgnc, SPECIES, archives.mesh):
        store_identifier_table_all_or_none(table)
    print_line("Selecting the corpora")
    write_demo_corpora_and_gold_standards(archives, folder)
    for slug, corpus in CORPORA.items():
        _make_demo_corpus(slug, corpus, folder / f"{slug}.pmids")


def _throttle_progress(step: int, report: ImportProgress) -> ImportProgress:
    """Wrap a progress callback, so that it is called only once for every `step` articles."""
    reported_steps = 0

    def progress(counts: ImportCounts) -> None:
        nonlocal reported_steps
        if counts.stored // step > reported_steps:
            reported_steps = counts.stored // step
            report(counts)

    return progress


@transaction.atomic
def _make_demo_corpus(slug: str, corpus: DemoCorpus, pmids_file: Path) -> None:
    """Create a corpus. A blind one has snapshots; their articles stay public, so that no gap tells which they are."""
    defaults = {
        **{"name": corpus.name, "description": corpus.description},
        **{"blind": corpus.blind, "featured": corpus.featured},
    }
    Corpus.objects.get_or_create(slug=slug, defaults=defaults)
    pmids = [int(line) for line in pmids_file.read_text(encoding="ascii").split()]
    corpora.append_stored_pmids_creating_corpus(slug, pmids)


def _make_demo_people(password: str) -> dict[str, Any]:
    """Create the demo's users, teams and roles, and set the users' password; returns the users by name."""
    people = {}
    for person in PEOPLE:
        user, _ = get_user_model().objects.get_or_create(username=person.name, defaults={"email": person.email})
        user.set_password(password)
        user.save(update_fields=["password"])
        address = {"email": person.email, "verified": True}
        EmailAddress.objects.update_or_create(user=user, primary=True, defaults=address)
        people[person.name] = user
    rights = Permission.objects.filter(codename__in=["add_challenge", "review_server"])
    people["olga"].user_permissions.add(*rights)
    people["ember"].user_permissions.add(Permission.objects.get(codename="submit_manuscript"))
    for name, manager in TEAMS.items():
        team, _ = Team.objects.get_or_create(slug=slugify(name), defaults={"name": name})
        Membership.objects.get_or_create(team=team, user=people[manager], defaults={"role": Membership.Role.MANAGER})
    return people


def _register_demo_server(annotator: DemoAnnotator, port: int) -> Server:
    """Register the annotator as an accepted server, or update the URL of its server."""
    server, _ = Server.objects.update_or_create(
        slug=annotator.slug,
        defaults={"url": f"http://127.0.0.1:{port}/"},
        create_defaults={
            "url": f"http://127.0.0.1:{port}/",
            "team": Team.objects.get(name=annotator.team),
            "name": annotator.name,
            "description": annotator.description,
            "kinds": [kind.value for kind in annotator.kinds],
            "entity_types": list(annotator.entity_types),
            "review": ReviewState.ACCEPTED,
            "confidential": annotator.team == LEXICON,
            "accepts_pasted_texts": True,
        },
    )
    return server


def _register_demo_servers(ports: Mapping[str, int]) -> list[Server]:
    return [_register_demo_server(annotator, ports[annotator.slug]) for annotator in ANNOTATORS]


@transaction.atomic
def _make_demo_challenge(organizer: Any, folder: Path) -> Challenge:
    challenge = creation.create_challenge(CHALLENGE.name, CHALLENGE.slug, CHALLENGE.description, organizer)
    tasks = [
        creation.create_task(
            challenge,
            task.name,
            task.kind,
            task.title,
            note=task.note,
            primary=task.primary_measure,
            settings=task.settings,
        )
        for task in TASKS
    ]
    for phase_type in (Phase.Type.TRAINING, Phase.Type.TEST):
        phase = creation.create_phase_claiming_blind_corpus(challenge, phase_type, Corpus.objects.get(slug=phase_type))
        for task, content in zip(tasks, TASKS, strict=True):
            path = folder / f"{phase_type}.{content.gold_suffix}"
            storage.store_gold_from_file(task, phase, path, origin="MeSH indexing")
            # Learned from the training phase, which comes first.
            store_baseline_runs_replacing_earlier(task, phase)
    change_challenge_state(challenge, ChallengeState.LISTED)
    # Like the servers of the demo, it needs no review.
    Challenge.objects.filter(pk=challenge.pk).update(review=ReviewState.ACCEPTED, **CHALLENGE.facts)
    return challenge


def _enqueue_demo_calls(servers: Sequence[Server], challenge: Challenge) -> None:
    """Load the reading articles for every server, and enter those that can answer a task into the training phase."""
    reading = list(Corpus.objects.get(slug="reading").corpusarticle_set.values_list("article_id", flat=True))
    training = challenge.phases.get(sort=Phase.Type.TRAINING)
    tasks = list(challenge.tasks.all())
    for server in servers:
        contents.enqueue_articles_without_open_or_test_call(
            contents.get_or_create_queue_and_producer(server, QueueMode.LIVE), reading
        )
        if list_kinds_to_answer(tasks, server):
            enter_eligible_server_and_enqueue_articles(server, training)


def seed_demo_once_then_start_servers(
    demo_files: DemoFiles, corpus_folder: Path, port_by_slug: Mapping[str, int], password: str, print_line: PrintLine
) -> None:
    people = _make_demo_people(password)
    if not _is_seeded():
        _load_demo_articles(demo_files, corpus_folder, print_line)
        challenge = Challenge.objects.filter(slug=CHALLENGE.slug).first() or _make_demo_challenge(
            people["olga"], corpus_folder
        )
        _enqueue_demo_calls(_register_demo_servers(port_by_slug), challenge)
        publish_phase_or_request_if_sealed(challenge.phases.get(sort=Phase.Type.TRAINING))
    elif not has_last_demo_corpus_file(corpus_folder):
        # The folder may have been removed without the database, or the database may be older than the folder.
        print_line("Selecting the corpora")
        write_demo_corpora_and_gold_standards(demo_files, corpus_folder)
    for server in _register_demo_servers(port_by_slug):
        lifecycle.bring_server_online_and_resume_resting_queues(server)
    submit_demo_manuscript_once(corpus_folder / MANUSCRIPT_TOKEN_FILE)
