"""Everybody who comes to the site, and something at each of its addresses that is one team's or one challenge's.

Team Alpha owns the server, olga organizes the challenge; bob and oscar have a team and a challenge of their own.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import time

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.test import Client
from django.urls import get_resolver, reverse

from annotations.articles.models import Article, ArticleSnapshot, Corpus
from annotations.curation import publishing
from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.session import finish_curation
from annotations.curation.states import ItemKind
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.results.models import Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.access_audiences import AccessRole
from bcms.accounts.models import ApiToken
from bcms.article_requests.request_queue import get_or_open_request_enqueueing_fetch
from bcms.corpus_files.models import CorpusFile
from bcms.corpus_files.processing import replace_corpus_file
from bcms.data_sets import building_job, publication
from bcms.data_sets.creation import create_data_set
from bcms.data_sets.recipes import RecipeInput
from bcms.draft_archives.processing import store_draft_archive
from bcms.lib.pictures.page_picture import PagePicture
from bcms.weekly_report.links import make_report_token
from evaluation import tasks
from evaluation.archives import jobs
from evaluation.challenges.announcements.models import AnnouncementAudience
from evaluation.challenges.announcements.publishing import publish_announcement
from evaluation.challenges.discussion.posts import begin_thread
from evaluation.challenges.followers.unsubscribe_links import make_challenge_mail_token
from evaluation.challenges.models import Challenge
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.pictures import storage as pictures
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.labelling import curators
from evaluation.manual_annotations.file_import import ManualAnnotationFile, import_all_manual_annotations_or_refuse_file
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from servers.availability.models import Maintenance
from servers.calls.models import Attempt, Call
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.kit.starter_files import STARTERS
from servers.notifications.mail.unsubscribe_links import make_unsubscribe_token
from servers.notifications.models import Delivery, Webhook
from servers.pasted_texts.models import PastedText
from servers.registry.models import Server, Trial
from servers.teams.invitations import make_invitation_token
from servers.teams.models import Invitation, Membership, Team
from tests.integration import pooling_cast
from tests.integration.bcms.accounts.test_accounts import SECRET
from tests.integration.curation_cast import begin, decide, propose, propose_gene
from tests.integration.evaluation_cast import (
    PMIDS,
    answer,
    create_listed_challenge,
    get_article,
    make_challenge,
    make_corpus,
    make_server,
    relevant,
    species,
)
from tests.integration.experiment_cast import curate_in_arm, make_experiment
from tests.integration.project_cast import curate, make_project
from tests.integration.server_cast import give_past

PASSWORD = "a-long-password"
# Organisms that nothing names but the sealed gold standard, and what servers and runs say of training and test.
GOLD = ("90909091", "90909092")
HIDDEN_IDENTIFIERS = ("80808081", "80808082", "80808083")
# What only carol reads, who has not finished the curation that has it.
CURATED = ("80808084",)
NAMES = {
    AccessRole.PERSON: "carol",
    AccessRole.OTHER_TEAM: "bob",
    AccessRole.MEMBER: "dan",
    AccessRole.MANAGER: "alice",
    AccessRole.ORGANIZER: "olga",
    AccessRole.OTHER_ORGANIZER: "oscar",
    AccessRole.CURATOR: "cora",
    AccessRole.STAFF: "staff",
}
# An address of the test, which is not published, and of what belongs to it.
TEST = ":test"
# What an address needs besides its path.
QUERIES = {
    "curation-item": "?kind=entity&key=uniprot:P12830",
    **dict.fromkeys(("curation-live", "curation-project-article-live"), "?window=0123456789abcdef"),
}
# Where servers go into a phase that is open.
ENTERING = ("phase-enter", "phase-load", "api-phase-enter", "api-phase-load")


def make_people(make):
    """All of them with a confirmed address; alice, carol and olga are those of tests/conftest.py."""
    for name in ("bob", "cora", "dan", "oscar", "staff"):
        user = make(name, f"{name}@example.org", PASSWORD, is_staff=name == "staff")
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    users = {user.username: user for user in type(user).objects.all()}
    beta = Team.objects.create(name="Team Beta", slug="team-beta")
    Membership.objects.create(team=beta, user=users["bob"], role=Membership.Role.MANAGER)
    Membership.objects.create(team=Team.objects.get(slug="team-alpha"), user=users["dan"])
    create_listed_challenge("Other challenge", "other", "", users["oscar"])
    make_server(beta, "rival")
    return users


def make_phases(olga, alice, team):
    """Training is published; development and the test are not, and the test is blind and sealed."""
    challenge = make_challenge(olga, make_corpus())
    training, servers = challenge.phases.get(), [make_server(team, slug) for slug in ("reader", "second")]
    for server in servers:
        for own in enter_eligible_server_and_enqueue_articles(server, training, alice):
            for pmid in PMIDS:
                answer(own, pmid, relevant(True) if own.task.name == "ACT" else species("9606"), duration=1.0)
    publish_phase_or_request_if_sealed(training)
    development = creation.create_phase_claiming_blind_corpus(challenge, "development", training.corpus)
    test = creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True)
    )
    store_gold_sealed_or_open(
        challenge.tasks.get(name="TX"), test, f"201\t{GOLD[0]}\n202\t{GOLD[1]}\n".encode(), "secret.tsv"
    )
    for server in servers:
        enter_eligible_server_and_enqueue_articles(server, development, alice)
        enter_eligible_server_and_enqueue_articles(server, test, alice)


def load_anew(server):
    """Nothing waits for it any more, so that its team may load the articles of development once more."""
    Call.objects.filter(server__slug=server).delete()


def store_hidden_results():
    """What is said in development, on articles that everybody sees, and in the test, whose articles nobody does."""
    for own in Run.objects.filter(task__name="TX", sort="online", phase__sort="development"):
        store_results_superseding_earlier(
            Article.objects.get(pmid=101), own.producer, {Kind.TAXON: species(HIDDEN_IDENTIFIERS[0])}, reply_body=b"{}"
        )
    for own in Run.objects.filter(task__name="TX", sort="online", phase__sort="test"):
        answer(own, 201, species(HIDDEN_IDENTIFIERS[1]), duration=1.0)


def upload_run(user):
    """A file of a run in the test."""
    client = Client()
    client.force_login(user)
    opaque = get_article(202).opaque
    file = SimpleUploadedFile("mine.tsv", f"{opaque}\t{HIDDEN_IDENTIFIERS[2]}\t1\t0.5\n".encode())
    reply = client.post("/challenges/example/test/TX/runs/", {"file": file})
    assert reply.status_code == 302, reply.content.decode()
    return Upload.objects.latest("pk").pk


def upload_articles(user):
    """A file of articles, sent in by an organizer."""
    client = Client()
    client.force_login(user)
    reply = client.post("/articles/upload/", {"file": SimpleUploadedFile("good.txt", b"12|t|p53 binds.\n12|a|So.\n")})
    return int(reply.url.rstrip("/").rpartition("/")[2])


def upload_corpus_file(user):
    """A file to set up the challenge from, which is proposed."""
    file = SimpleUploadedFile("corpus.txt", b"31|t|p53 binds.\n31|a|So.\n31\t0\t3\tp53\tGene\t7157\n\n")
    replace_corpus_file(Challenge.objects.get(slug="example"), file, CorpusFile.Purpose.OPEN, user)


def make_things(users, team, server):
    """What stands in addresses of servers, by the name of the parameter."""
    queue = give_past(server)
    mention = AnnotationData(Kind.MENTION, start=0, end=4)
    Article.objects.filter(pmid=20000001).update(doi="10.1000/x")
    store_results_superseding_earlier(
        Article.objects.get(pmid=20000001), queue.producer, {Kind.MENTION: [mention]}, reply_body=b"{}"
    )
    webhook = Webhook.objects.create(server=server, url="http://127.0.0.1:9/", topics=["fail"])
    delivery = Delivery.objects.create(webhook=webhook, happening="test", body="{}")
    planned = Maintenance.objects.create(server=server, starts=Now(), ends=Now() + timedelta(days=1))
    fields = {"name": "New", "url": "http://127.0.0.1:9/", "protocol": "bcms", "method": "Annotator.getAnnotation"}
    fields |= {"send": "struct", "kinds": ["taxon"], "time_limit": 60}
    report = {"passed": True, "seconds": 0.5}
    new, tried = (
        Trial.objects.create(team=team, by=users["alice"], server=of, fields=fields, finished=Now(), report=report)
        for of in (None, server)
    )
    return {
        "queue_id": queue.pk,
        "queue": queue.pk,
        "webhook_id": webhook.pk,
        "delivery_id": delivery.pk,
        "maintenance_id": planned.pk,
        "trial_id": new.pk,
        "tried": tried.pk,
        "attempt_id": Attempt.objects.get(diagnosis="R104").pk,
        "action": "retry-failed",
    }


def make_webhook_parts(team):
    """What stands in addresses of webhooks of a team and of a challenge."""
    challenge, address = Challenge.objects.get(slug="example"), "http://127.0.0.1:9/"
    parts = {}
    for owner, fields in ((team, {"team": team}), (challenge, {"challenge_id": challenge.pk})):
        webhook = Webhook.objects.create(url=address, topics=["phase"], **fields)
        delivery = Delivery.objects.create(webhook=webhook, happening="test", body="{}")
        kind = "team" if owner is team else "challenge"
        parts[f"{kind}-webhook"] = {"slug": owner.slug, "webhook_id": webhook.pk, "delivery_id": delivery.pk}
        parts[f"api-{kind}-deliver"] = {"slug": owner.slug, "pk": delivery.pk}
    return parts


def name_cora(cora):
    """Curator of the corpus of the training phase, and judge of passages in another challenge of olga's."""
    challenge = Challenge.objects.get(slug="example")
    pooled = pooling_cast.make_phase(challenge.organizers.get())
    pooling_cast.first_run(Team.objects.get(slug="team-alpha"), pooled)
    pooling_cast.make_pool(pooled, cora)
    four = Corpus.objects.get(slug="four")
    return curators.add_and_mail_or_readmit_curator(
        curators.begin_labelling_claiming_blind_corpus(challenge, four, order="given", again_every=0), cora
    ).pk


def make_data_set(users):
    """Alice's, published, of the live organisms of a server."""
    producer = get_or_create_queue_and_producer(Server.objects.get(slug="second"), QueueMode.LIVE).producer
    store_results_superseding_earlier(Article.objects.get(pmid=101), producer, {Kind.TAXON: species("9606")})
    four = Corpus.objects.get(slug="four")
    values = {"name": "Taxa", "licence": "CC0-1.0", "kinds": [Kind.TAXON], "method": "union", "servers": ["second"]}
    data_set = create_data_set(users["alice"], RecipeInput(**values, corpus=four))
    assert building_job.build_slice_unless_busy(data_set.pk) == "built"
    data_set.refresh_from_db()
    publication.propose_data_set(data_set)
    publication.publish_proposed_data_set(data_set, users["staff"])
    return data_set.pk


def make_curation_project(users):
    """Olga's, over the corpus of the training phase, in which cora has finished an article and begun another."""
    project = make_project(users["olga"], users["cora"], corpus=Corpus.objects.get(slug="four"))
    curate(project, users["cora"], 101, "P12830")
    return {"pk": project.pk, "begun": curate(project, users["cora"], 102, "P12830", finish=False).pk}


def make_measured_curation(users):
    """An article that cora has finished in an experiment of olga's."""
    project = make_experiment(users["olga"], users["cora"], corpus=Corpus.objects.get(slug="four"))
    return curate_in_arm(project, users["cora"], 104, "with", "P12830").pk


def make_curations(users):
    """Carol's: one is published with its article, one is proposed to reviewers, and one is not finished."""
    carol, now = users["carol"], datetime(2026, 3, 2, 12, tzinfo=UTC)
    published, proposed = (begin(carol, Article.objects.get(pmid=pmid)) for pmid in (20000001, 101))
    for each in (published, proposed):
        decide(each, "accept", propose_gene())
        finish_curation(each.pk, 1, now)
    publishing.publish_curation(published.pk, users["staff"].pk, now)
    publishing.propose_curation(proposed.pk, now)
    begun = begin(carol, Article.objects.get(pmid=102))
    decide(begun, "accept", propose_gene())
    decide(begun, "accept", propose(ItemKind.ORGANISM, f"ncbitaxon:{CURATED[0]}", *species(CURATED[0])))
    return {"curation": begun.pk, "curation-review": proposed.pk}


def submit_manuscript_of_alice(users):
    """A manuscript that alice has sent as a journal, and what stands in its addresses."""
    users["alice"].user_permissions.add(Permission.objects.get(codename="submit_manuscript"))
    program = Client()
    program.force_login(users["alice"])
    sent = {"title": "Unseen", "passages": [{"text": "Nobody else reads this."}], "author_mail": "ada@example.org"}
    answer = program.post("/api/v1/manuscripts/", sent, content_type="application/json").json()
    Manuscript.objects.update(reminded=None)
    comment = Manuscript.objects.get().comments.create(role="reviewer", text="Name the method.")
    parts = {"pk": answer["id"], "link": answer["links"][0]["id"], "comment": comment.pk}
    assigned = program.post(f"/api/v1/manuscripts/{answer['id']}/curators/", {"person": "cora"}).json()
    parts["curation"] = assigned["curators"][0]["curation"]
    token = answer["author_link"].rstrip("/").rpartition("/")[2]
    return {"manuscript": parts, "api-manuscript": parts, "manuscript-link": {"token": token}}


def add_pictures(challenge):
    """The names of two pictures: the description of the challenge shows the first."""
    contents = (b"RIFF, a picture of nothing", b"RIFF, another one")
    new = [pictures.NewPicture("nothing.png", PagePicture(content, 1, 1)) for content in contents]
    shown, other = (picture.name for picture in pictures.add_pictures(challenge, new))
    Challenge.objects.filter(pk=challenge.pk).update(description=f"![Nothing]({shown})")
    return shown, other


def talk(users):
    """An announcement of olga and a thread that carol began, and the link that ends dan's mail."""
    challenge = Challenge.objects.get(slug="example")
    news = publish_announcement(
        challenge, users["olga"], title="News", text="Read this.", audience=AnnouncementAudience.TEAMS
    )
    thread = begin_thread(challenge, users["carol"], title="A question", text="When does it end?")
    shown, unused = add_pictures(challenge)
    return {
        "challenge-announcement-remove": {"slug": "example", "number": news.pk},
        "challenge-citation": {"slug": "example", "form": "bibtex"},
        "challenge-picture": {"slug": "example", "name": shown},
        "api-challenge-picture": {"slug": "example", "name": unused},
        "challenge-mail-unsubscribe": {"token": make_challenge_mail_token(challenge.pk, users["dan"].pk)},
        "api-challenge-announcement": {"slug": "example", "number": news.pk},
        **{f"{kind}challenge-post": {"slug": "example", "number": thread.posts.get().pk} for kind in ("", "api-")},
        **{f"{kind}challenge-thread": {"slug": "example", "number": thread.pk} for kind in ("", "api-")},
    }


def make_cast(make, alice, olga, server):
    """Everybody and everything; what stands in the path of each address."""
    users = make_people(make)
    things = make_things(users, server.team, server)
    make_phases(olga, alice, server.team)
    make_server(server.team, "third")
    store_hidden_results()
    load_anew("reader")
    upload = upload_run(alice)
    tasks.process_run_uploads_unless_busy()
    tasks.score_due_runs_after_cleaning_unless_busy()
    tasks.rank_stale_boards_unless_busy()
    create_challenge_corpus(Challenge.objects.get(slug="example"), "Spare", "spare", "", (), blind=False)
    create_challenge_corpus(Challenge.objects.get(slug="example"), "Unseen", "unseen", "", (), blind=True)
    upload_corpus_file(users["olga"])
    jobs.enqueue_archive_discarding_finished_one(Challenge.objects.get(slug="example"), olga)
    assert tasks.make_requested_archives_unless_busy() != "our fault"
    return build_address_parts(users, server, upload, things, name_cora(users["cora"]))


def build_address_parts(users, server, upload, things, labeller):
    """{beginning of an address's name: {parameter: word}}; the longest beginning that fits counts, "" for all."""
    live = Result.objects.get(producer__queue__server=server, kind="mention", superseded=None)
    online = Run.objects.filter(task__name="TX", sort="online", producer__queue__server__slug="reader")
    dan, training = users["dan"], online.get(phase__sort="training")
    uploaded = Run.objects.get(upload=upload)
    taxa = ManualAnnotationFile("author", "Authors", f"101\t{HIDDEN_IDENTIFIERS[0]}\n".encode(), "authors.tsv")
    brought = import_all_manual_annotations_or_refuse_file(training.task, training.phase.corpus, taxa).annotation_set.pk
    articles = upload_articles(users["olga"])
    archive = store_draft_archive(b"PK\x03\x04", "hers.zip", users["carol"], {}).pk
    token = ApiToken.objects.create(user=users["carol"], name="hers", digest="0" * 64, scopes=["read"])
    invitation = Invitation.objects.create(team=server.team, email="carol@example.org")
    newcomer = User.objects.create_user("newcomer", "newcomer@example.org", PASSWORD)
    address = EmailAddress.objects.create(user=newcomer, email="newcomer@example.org")
    example = {"slug": "example", "phase": "training", "task": "TX"}
    data_set = make_data_set(users)
    project = make_curation_project(users)
    begun = [f"{prefix}curation-{action}" for prefix in ("", "api-") for action in ("hand-over", "accept")]
    measured = make_measured_curation(users)
    curations = make_curations(users)
    pasted = PastedText.objects.create(user=users["carol"], text="Hers")
    names = {
        "weekly-report-unsubscribe": {"token": make_report_token(server.team_id, dan.pk)},
        "": {
            "user_id": dan.pk,
            "token": make_unsubscribe_token(dan.pk, server.pk),
            "name": STARTERS[0].name,
            "form": "tsv",
            "rest": "x",
        },
        "article": {"ident": "20000001", "result_id": live.pk, "slug": "tsv", "upload_id": articles},
        "widget": {"ident": "20000001"},
        "article-doi": {"doi": "10.1000/x"},
        "article-request": {"request_id": get_or_open_request_enqueueing_fetch(ArticleIds(16054130)).pk},
        "manual": {"slug": "rules"},
        "document": {"source": "pubmed", "identifier": "20000001"},
        "server": {"slug": server.slug} | things,
        **{key: {"key": pasted.key} for key in ("pasted-text", "api-pasted-text")},
        **{key: {"pk": archive} for key in ("challenge-draft-archive", "api-challenge-draft-archive")},
        "team": {"slug": server.team.slug, "invitation_id": invitation.pk, "user_id": dan.pk},
        "invitation": {"token": make_invitation_token(invitation)},
        "token": {"token_id": token.pk},
        **{key: {"pk": 1} for key in ("mfa_edit_webauthn", "mfa_remove_webauthn")},
        "provider": {"provider_id": "stand-in"},
        "connection": {"connection_id": 1},
        "api-team-audit": {"slug": server.team.slug},
        **{f"admin:{key}": {"object_id": pk} for key, pk in list_administered_objects(server).items()},
        "account_confirm_email": {"key": EmailConfirmationHMAC(address).key},
        "account_reset": {"uidb36": user_pk_to_url_str(dan), "key": default_token_generator.make_token(dan)},
        **{key: {**example, "form": "tsv"} for key in ("challenge", "phase")},
        **{key: {**example, "run": training.pk, "file": "gold.tsv"} for key in ("leaderboard", "api-leaderboard")},
        **{key: {**example, "phase": "development"} for key in ENTERING},
        "corpus-compare": {"slug": "four"},
        **{key: {"pk": data_set, "slug": "tsv"} for key in ("data-set", "api-data-set")},
        **{
            key: {"pk": project["pk"], "ident": 101, "identifier": 101, "table": "curations"}
            for key in ("curation-project", "api-curation-project")
        },
        **{key: {"pk": project["begun"]} for key in begun},
        **{key: {"pk": measured} for key in ("curation-questionnaire", "api-curation-questionnaire")},
        "upload": {"pk": upload},
        "run": {"pk": training.pk},
        "run-file": {"pk": uploaded.pk},
        **{
            key: {"slug": "example", "pk": brought}
            for key in ("challenge-manual-annotations", "api-manual-annotations")
        },
        "labelling": {"slug": "example", "corpus": "four"},
        **{key: {"pk": labeller} for key in ("label", "api-label")},
        "api-labelling": {"slug": "example", "corpus": "four"},
        **{key: {"slug": "pooled", "phase": "training", "task": "ISS"} for key in ("pool", "api-pool")},
        "api-article": {"identifier": "20000001", "slug": "tsv", "pk": live.pk, "start": 0, "end": 4},
        **{key: {"identifier": "20000001"} for key in ("api-annotations", "api-consensus")},
        "api-article-request": {"pk": get_or_open_request_enqueueing_fetch(ArticleIds(16054130)).pk},
        "api-corpus": {"slug": "four"},
        **{
            key: {"slug": server.slug} | things for key in ("api-server", "api-calls", "api-attempts", "api-deliveries")
        },
        "api-attempt": {"slug": server.slug, "pk": things["attempt_id"]},
        "api-server-trial": {"slug": server.slug, "pk": things["tried"]},
        "api-replay": {"slug": server.slug, "pk": things["delivery_id"]},
        **dict.fromkeys(("api-challenge", "api-phase", "api-team-runs"), example),
        **{f"{kind}challenge-corpus": {"slug": "example", "corpus": "spare"} for kind in ("", "api-")},
        **{
            key: {"slug": "example", "corpus": "unseen"}
            for key in ("challenge-corpus-upload", "api-challenge-corpus-articles")
        },
        "api-search-export": {"slug": "tsv"},
        **{key: {"pk": curations["curation"], "ident": "20000001"} for key in ("curation", "api-curation")},
        "curation-review": {"pk": curations["curation-review"]},
        "api-curations-data": {"slug": "tsv"},
        "api-digital-abstracts": {"slug": "mitab"},
        "api-article-digital-abstract": {"identifier": "20000001", "slug": "mitab"},
        "api-upload": {"pk": upload},
        "api-run": {"pk": training.pk},
        **submit_manuscript_of_alice(users),
        **talk(users),
        **make_webhook_parts(server.team),
    }
    hidden = get_article(201)
    blind = {"ident": hidden.opaque, "identifier": hidden.opaque, "phase": "test"}
    said = online.get(phase__sort="development").producer.results.get(article__pmid=101, superseded=None)
    tested = {
        "run": {"pk": uploaded.pk},
        "run-articles": {"pk": uploaded.pk},
        **{key: {"pk": uploaded.pk} for key in ("api-run", "api-run-analysis", "api-run-articles")},
        "article-result": {"ident": "101", "result_id": said.pk},
        "article-reply": {"ident": "101", "result_id": said.pk},
        "api-article-result": {"identifier": "101", "pk": said.pk},
        "api-corpus": {"slug": "blind"},
        **{key: {"slug": "blind"} for key in ("corpus-compare", "api-corpus-compare", "api-corpus-croissant")},
        **{f"{kind}leaderboard-{key}": {"run": uploaded.pk} for kind in ("", "api-") for key in ("run", "score")},
    }
    return AddressParts(names, blind, tested)


def list_administered_objects(server):
    """The id of an object of each model of the administration, by the beginning of its address's name."""
    return {
        "": server.pk,
        "auth_user": User.objects.get(username="dan").pk,
        "annotations_article": Article.objects.get(pmid=20000001).pk,
        "annotations_corpus": Corpus.objects.get(slug="four").pk,
        "servers_team": server.team_id,
        "servers_server": server.pk,
        "evaluation_challenge": Challenge.objects.get(slug="example").pk,
    }


@dataclass(frozen=True)
class AddressParts:
    """What stands in the path of addresses, by the beginning of their name; and of those of the test's."""

    names: dict[str, dict[str, object]]
    test: dict[str, object]
    tested: dict[str, dict[str, object]]

    def address(self, name: str, *, test: bool = False) -> str:
        own = self.names[max((each for each in self.names if name.startswith(each)), key=len)]
        words = {**self.names[""], **own}
        if test:
            words |= self.test | self.tested.get(name, {})
        path = reverse(name, kwargs={each: words[each] for each in list_url_parameters(name)})
        return path + QUERIES.get(name, "")

    def of_test(self, name: str) -> bool:
        """Whether the address names something of a phase, which may be the test."""
        named = bool({"phase", "ident", "identifier"} & set(list_url_parameters(name)))
        return name in self.tested or (named and not name.startswith((*ENTERING, "pool", "api-pool")))


def list_url_parameters(name: str) -> list[str]:
    """The parameters of an address; a name may have a namespace, as in admin:index."""
    namespace, _, local_name = name.rpartition(":")
    resolver = get_resolver().namespace_dict[namespace][1] if namespace else get_resolver()
    return resolver.reverse_dict.getlist(local_name)[0][0][0][1]


def log_in_all():
    """The cookie of each role's session, the password said just now; every account has a second factor from then on."""
    cookies = {AccessRole.VISITOR: ""}
    for role, name in NAMES.items():
        client = Client()
        client.force_login(User.objects.get(username=name))
        session = client.session
        session["account_authentication_methods"] = [{"method": "password", "at": time()}]
        session.save()
        cookies[role] = client.cookies["sessionid"].value
    for user in User.objects.all():
        TOTP.activate(user, SECRET)
        RecoveryCodes.activate(user)
    return cookies


def map_opaque_ids():
    """{PMID: opaque id} of all articles, snapshots included."""
    opaque = dict(Article.objects.values_list("pmid", "opaque"))
    return opaque | dict(ArticleSnapshot.objects.values_list("pmid", "article__opaque"))


def build_sent_fields(name, opaque):
    """What Team Alpha's people and cora send to the addresses that do nothing without it; opaque: {PMID: opaque id}."""
    run = SimpleUploadedFile("more.tsv", f"{opaque[202]}\t9606\t1\t0.5\n".encode())
    server = {"team": "team-alpha", "name": "Fourth", "url": "http://127.0.0.1:9/", "kinds": ["taxon"]}
    return {
        "api-challenge-join": {"team": "team-alpha"},
        "api-manuscript-curators": {"person": "cora"},
        "api-manuscript-links": {"role": "author"},
        "api-manuscript-refuse": {"reason": "No time."},
        "api-manuscripts": {"file": SimpleUploadedFile("m.txt", b"0|t|Another.\n0|a|Of a journal.\n")},
        "api-label-answer": {"article": opaque[101], "said": "yes"},
        "api-label-clock": {"showing": "1", "sight": "in"},
        "api-servers": server,
        "api-data-set-baseline": {"challenge": "example", "phase": "training", "task": "TX"},
        "api-data-set-run": {"challenge": "example", "phase": "training", "task": "TX", "team": "team-alpha"},
        "api-run-cut": {"by": "rank", "value": "1"},
        "api-team-runs": {"team": "team-alpha", "file": run},
        "curation-project-take": {"article": "103"},
        "challenge-team-disapprove": {"team": "team-alpha"},
        "challenge-join": {"team": "team-alpha"},
        "challenge-participants": {"team": "team-alpha"},
        "challenge-post-hide": {"reason": "Off topic."},
        "challenge-runs": {"team": "team-alpha", "file": run},
        "label-answer": {"article": opaque[101], "said": "yes"},
        "label-clock": {"showing": "1", "sight": "in"},
        "curation-sight": {"showing": "1", "sight": "in"},
        **{key: {"server": "third"} for key in ("phase-enter", "api-phase-enter")},
        **{key: {"server": "reader"} for key in ("phase-load", "api-phase-load")},
    }.get(name, {})
