"""Fill an empty site for the demo: articles, identifiers, corpora, people, servers and a challenge.

Everything goes through the operations that the pages use. A second start finds the challenge and only tells the
servers their new addresses.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import transaction
from django.utils.text import slugify

from annotations import corpora
from annotations.citation_storing import ImportCounts
from annotations.importing import Progress, import_file
from annotations.models import Corpus
from annotations.registering import load_registry
from annotations.registry import taxonomy
from bcms.demo.annotators import ANNOTATORS, Annotator
from bcms.demo.archives import Archives
from bcms.demo.cast import CHALLENGE, CORPORA, PEOPLE, TASKS, TEAMS, DemoCorpus
from bcms.demo.corpora import corpora_cut, cut_corpora
from evaluation import challenges, gold
from evaluation.models import Challenge, Phase
from servers import lifecycle, queueing
from servers.models import Membership, Server, Team
from servers.states import QueueMode

Say = Callable[[str], None]
SPECIES = Path(taxonomy.__file__).with_name("species.tsv")


def seeded() -> bool:
    return Challenge.objects.filter(slug=CHALLENGE.slug, phases__published__isnull=False).exists()


def load(archives: Archives, folder: Path, say: Say) -> None:
    """Articles, identifiers and corpora; running it again changes nothing."""
    for path in (archives.older, archives.newer):
        say(f"Importing the articles of {path.name}")
        import_file(path, every(5000, lambda counts: say(f"  {counts.stored:,} articles")))
    say("Loading gene names and organisms")
    load_registry(archives.hgnc)
    load_registry(SPECIES)
    say("Cutting the corpora")
    cut_corpora(archives, folder)
    for slug, corpus in CORPORA.items():
        make_corpus(slug, corpus, folder / f"{slug}.pmids")


def every(step: int, tell: Progress) -> Progress:
    """Pass on only every step-th article's counts."""
    told = 0

    def progress(counts: ImportCounts) -> None:
        nonlocal told
        if counts.stored // step > told:
            told = counts.stored // step
            tell(counts)

    return progress


def make_corpus(slug: str, corpus: DemoCorpus, pmids: Path) -> None:
    named = {"name": corpus.name, "description": corpus.description, "blind": corpus.blind}
    Corpus.objects.get_or_create(slug=slug, defaults=named)
    corpora.append(slug, [int(line) for line in pmids.read_text(encoding="ascii").split()])


def make_people(password: str) -> dict[str, Any]:
    """The cast with its password of this demo, set anew at each start."""
    people = {}
    for person in PEOPLE:
        user, _ = get_user_model().objects.get_or_create(username=person.name, defaults={"email": person.email})
        user.set_password(password)
        user.save(update_fields=["password"])
        address = {"email": person.email, "verified": True}
        EmailAddress.objects.update_or_create(user=user, primary=True, defaults=address)
        people[person.name] = user
    people["olga"].user_permissions.add(Permission.objects.get(codename="add_challenge"))
    for name, manager in TEAMS.items():
        team, _ = Team.objects.get_or_create(slug=slugify(name), defaults={"name": name})
        Membership.objects.get_or_create(team=team, user=people[manager], defaults={"role": Membership.Role.MANAGER})
    return people


def make_server(annotator: Annotator, port: int) -> Server:
    """Register the annotator, or tell the registered one its new address."""
    server, _ = Server.objects.update_or_create(
        slug=annotator.slug,
        defaults={"url": f"http://127.0.0.1:{port}/"},
        create_defaults={
            "url": f"http://127.0.0.1:{port}/",
            "team": Team.objects.get(name=annotator.team),
            "name": annotator.name,
            "description": annotator.description,
            "kinds": [kind.value for kind in annotator.kinds],
        },
    )
    return server


def make_servers(ports: Mapping[str, int]) -> list[Server]:
    return [make_server(annotator, ports[annotator.slug]) for annotator in ANNOTATORS]


@transaction.atomic
def make_challenge(organizer: Any, folder: Path) -> Challenge:
    challenge = challenges.create_challenge(CHALLENGE.name, CHALLENGE.slug, CHALLENGE.description, organizer)
    tasks = [
        challenges.add_task(challenge, task.name, task.kind, task.title, note=task.note, primary=task.primary)
        for task in TASKS
    ]
    for sort in (Phase.Sort.TRAINING, Phase.Sort.TEST):
        phase = challenges.add_phase(challenge, sort, Corpus.objects.get(slug=sort))
        for task in tasks:
            gold.import_gold(task, phase, folder / f"{sort}.{task.name.lower()}.tsv", source="MeSH indexing")
    return challenge


def queue_everything(servers: Sequence[Server], challenge: Challenge) -> None:
    """Every server reads; those whose kinds are asked for train."""
    reading = list(Corpus.objects.get(slug="reading").corpusarticle_set.values_list("article_id", flat=True))
    training = challenge.phases.get(sort=Phase.Sort.TRAINING)
    asked_for = set(challenge.tasks.values_list("kind", flat=True))
    for server in servers:
        queueing.enqueue(queueing.queue_of(server, QueueMode.LIVE), reading)
        if asked_for & set(server.kinds):
            challenges.enter(server, training)


def seed(archives: Archives, folder: Path, ports: Mapping[str, int], password: str, say: Say) -> None:
    people = make_people(password)
    if not seeded():
        load(archives, folder, say)
        challenge = Challenge.objects.filter(slug=CHALLENGE.slug).first() or make_challenge(people["olga"], folder)
        queue_everything(make_servers(ports), challenge)
        challenges.publish(challenge.phases.get(sort=Phase.Sort.TRAINING))
    elif not corpora_cut(folder):
        # The folder may have been removed under a database that was not, or the database be an older folder's.
        say("Cutting the corpora")
        cut_corpora(archives, folder)
    for server in make_servers(ports):
        lifecycle.start(server)
