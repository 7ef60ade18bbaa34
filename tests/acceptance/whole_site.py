"""A site with something on every page: servers that disagree and fail, a challenge, files taken and refused."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID
from zlib import crc32

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.test import Client

from annotations.articles.models import Article, ArticleRequest, Corpus, CorpusArticle
from annotations.curation import publishing
from annotations.curation.contents import build_interaction_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.models import Curation
from annotations.curation.projects.adjudication import accept_agreed_articles
from annotations.curation.projects.assignment import split_unassigned_articles
from annotations.curation.projects.questionnaire_replies import store_questionnaire_reply
from annotations.curation.session import finish_curation
from annotations.curation.states import ItemKind
from annotations.digital_abstract import Detection, EvidencePassage, Interaction, Participant
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.results.annotation_rows import build_annotation_row
from annotations.results.models import Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import SEVEN_KINDS, AnnotationData, EntityId, Kind, Span
from annotations.tasks import update_summaries_flushing_indexes_requeueing_unless_busy
from bcms.article_requests.request_queue import get_or_open_request_enqueueing_fetch
from bcms.corpus_files.models import CorpusFile
from bcms.corpus_files.processing import replace_corpus_file
from bcms.data_sets import building_job, publication
from bcms.data_sets.creation import create_data_set
from bcms.data_sets.recipes import RecipeInput
from bcms.draft_archives.processing import process_draft_archive_unless_busy, store_draft_archive
from bcms.lib.pictures.reader import read_picture
from evaluation import tasks
from evaluation.challenges.announcements.models import AnnouncementAudience
from evaluation.challenges.announcements.publishing import publish_announcement
from evaluation.challenges.discussion.models import DiscussionThread
from evaluation.challenges.discussion.moderation import hide_post
from evaluation.challenges.discussion.posts import begin_thread, reply_in_thread
from evaluation.challenges.models import Challenge
from evaluation.challenges.participants.listing import store_team_listing
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.phases import lifecycle
from evaluation.challenges.pictures.storage import NewPicture, add_pictures
from evaluation.challenges.setup import creation
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.challenges.webhooks.deliveries import (
    ChallengeNews,
    store_deliveries_to_organizers,
    store_deliveries_to_teams,
)
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.labelling.models import Labeller
from evaluation.leaderboards.baselines import store_baseline_runs_replacing_earlier
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from servers.availability.models import Maintenance
from servers.calls.models import Attempt, Call
from servers.calls.queues import contents
from servers.calls.states import Outcome, QueueMode
from servers.notifications.events import ChallengeEvent
from servers.notifications.models import Delivery, Webhook
from servers.pasted_texts.models import PastedText, PastedTextCall
from servers.registry import trials
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.teams.models import Invitation, Membership, Team
from tests.acceptance.special_tasks import make_adjudicated_pool, make_differing_labellers
from tests.annotator import Annotator
from tests.drawn_pictures import draw, save
from tests.integration.article_cast import create_known_genes, make_read_article, three_servers
from tests.integration.curation_cast import begin, decide, propose_gene
from tests.integration.evaluation_cast import (
    answer,
    create_listed_challenge,
    make_corpus,
    make_server,
    relevant,
    species,
)
from tests.integration.experiment_cast import curate_in_arm, make_experiment
from tests.integration.manuscript_cast import make_journal, open_as, submit, use_token
from tests.integration.project_cast import curate, make_project
from tests.integration.server_cast import give_past
from tests.passkey import Passkey

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
PASSWORD = "a-long-password"
PMID = 30000001
PMIDS = range(101, 141)
# A name as long as one may be, in one word: what breaks lines and tables first.
LONG = "MentionsOfGenesAndProteinsByDictionaryRulesAndTransformers" + "_v2" * 14
BAD_ARTICLES = b"12|t|A\n12\tx\t3\tp53\tGene\t-\n"
GOOD_ARTICLES = "12|t|p53 binds.\n12|a|So α.\n\n13|t|Mdm2\n".encode()
BAD_RUN = b"101\thuman\t0.9\n102\t10090\t1.5\n"


def people(team, make):
    """dan is on alice's team, eve has a second factor, finn logs in by ORCID, carol has no team, staff sees all."""
    users = {name: make(name, f"{name}@example.org", PASSWORD) for name in ("carol", "dan", "eve", "finn", "staff")}
    EmailAddress.objects.bulk_create(
        EmailAddress(user=user, email=user.email, verified=True, primary=True) for user in users.values()
    )
    EmailAddress.objects.create(user=users["dan"], email="at-home@example.org")
    User.objects.filter(username="staff").update(is_staff=True)
    users["finn"].set_unusable_password()
    users["finn"].save()
    SocialAccount.objects.create(user=users["finn"], provider="https://orcid.org", uid="0000-0002-1825-0097")
    TOTP.activate(users["eve"], SECRET)
    RecoveryCodes.activate(users["eve"])
    other = Team.objects.create(name="Team Beta of the Institute of Very Long Names", slug="team-beta")
    Membership.objects.create(team=team, user=users["dan"])
    Membership.objects.create(team=other, user=users["eve"], role=Membership.Role.MANAGER)
    return users


def make_passkey(user):
    """The number of a passkey that the user has."""
    credential = Passkey().create({"challenge": "AAAA", "user": {"id": "AAAA"}})
    made = Authenticator.objects.create(user=user, type="webauthn", data={"name": "phone", "credential": credential})
    return made.pk


def make_annotated_article(team):
    """One article that four servers read differently, with all kinds of annotations; one of them is still asked."""
    article = make_read_article()
    Article.objects.filter(pk=article.pk).update(pmid=PMID)
    create_known_genes()
    _, _, gamma = three_servers(team, article)
    long = make_server(team, "long", kinds=list(SEVEN_KINDS))
    Server.objects.filter(pk=long.pk).update(name=LONG[:100], state=ServerState.ONLINE)
    said = {
        Kind.TAXON: [AnnotationData(Kind.TAXON, 0.9, database="ncbitaxon", identifier="9606")],
        Kind.PAIR: [AnnotationData(Kind.PAIR, 0.8, database="uniprot", identifier="P12830", partner="P35222")],
        Kind.METHOD: [AnnotationData(Kind.METHOD, 0.7, database="psi-mi", identifier="MI:0018")],
        Kind.PASSAGE: [AnnotationData(Kind.PASSAGE, 0.6, start=38, end=74, text=article.text[38:74])],
        Kind.CLASSIFICATION: relevant(True, 0.8),
    }
    queue = contents.get_or_create_queue_and_producer(long, QueueMode.LIVE)
    store_results_superseding_earlier(article, queue.producer, said, duration_seconds=12.5, reply_body=b"{}")
    Call.objects.create(queue=gamma, server=gamma.server, article=article, priority=0)
    to_read = Corpus.objects.create(slug="reading", name="To read", featured=True)
    CorpusArticle.objects.create(corpus=to_read, article=article, position=1)
    return article


def make_server_with_past(server):
    """Calls that were answered, failed, broke rules; two webhook messages, two maintenances."""
    give_past(server)
    webhook = Webhook.objects.create(server=server, url="https://hooks.example.org/bcms", topics=["fail"])
    for state, status in (("delivered", 200), ("failed", 500)):
        Delivery.objects.create(
            webhook=webhook, happening="test", body='{"happening": "test"}', state=state, tries=1, status=status
        )
    for day in (0, 3):
        Maintenance.objects.create(
            server=server, starts=Now() + timedelta(days=day), ends=Now() + timedelta(days=day + 1), reason="New disks"
        )
    return webhook


def make_challenge_webhooks(team, challenge):
    """Each with a message about what happened in the challenge."""
    address, topics = "https://hooks.example.org/challenges", ["entry", "run", "phase"]
    of_team = Webhook.objects.create(team=team, url=address, topics=topics)
    of_challenge = Webhook.objects.create(challenge_id=challenge.pk, url=address, topics=topics)
    news = ChallengeNews(
        ChallengeEvent.PHASE_BEGUN, challenge, f"{challenge}: training phase begun.", "http://a.example/"
    )
    store_deliveries_to_teams(news, [team.pk])
    store_deliveries_to_organizers(news)
    return of_team, of_challenge


def make_trials(team, alice):
    """A trial that went well, one that broke a rule, and one that nobody has carried out yet."""
    made = []
    for offset in (8, 4000, None):
        mention = {"offset": offset, "section": "title", "mention": "CDH1"}
        with Annotator(lambda _, mention=mention: {"mentions": [mention]}) as own:
            fields = {"team": team.pk, "name": "New", "url": own.url, "protocol": "bcms", "send": "struct"}
            fields |= {"method": "Annotator.getAnnotation", "kinds": ["mention"], "time_limit": 60}
            made.append(send(alice, "/servers/register/", **fields))
            if offset is not None:
                trials.run_open_trial_and_store_report(made[-1])
    return made


def make_pasted_text(carol):
    """A text of carol's with an answer that is partly wrong, and a server that failed; all that run take texts."""
    online = Server.objects.filter(state=ServerState.ONLINE)
    online.update(accepts_pasted_texts=True)
    pasted = PastedText.objects.create(user=carol, title=f"CDH1 {LONG}", text="CDH1 binds CTNNB1.\nIn mouse cells.")
    mentions = (AnnotationData(Kind.MENTION, start=start, end=start + 4, text="CDH1") for start in (0, len(LONG) + 6))
    broken = {"code": "R104", "where": "mentions[2].offset", "message": f"{LONG} is not there."}
    rows = [[each.kind.value, *build_annotation_row(each)] for each in mentions]
    answer = {"state": "answered", "kinds": ["mention"], "annotations": rows, "seconds": 1.5, "finished": Now()}
    answer |= {"broken_rules": [broken], "broken_rule_count": 30}
    failure = {"state": "failed", "failure": Outcome.NO_ANSWER, "started": Now(), "finished": Now()}
    for server, fields in zip(online.order_by("pk"), (answer, failure), strict=False):
        PastedTextCall.objects.create(text=pasted, server=server, **fields)
    return pasted.key


def talk_about_challenge(challenge, users):
    """News of the organizers, a picture, a thread with Markdown and a hidden post, a named team, and whom to ask."""
    text = "The gold standard of **TX** has changed:\n\n| article | was | is |\n|---|---|---|\n| 101 | 9606 | 10090 |"
    publish_announcement(
        challenge, users["olga"], title="Corrected organisms", text=text, audience=AnnouncementAudience.TEAMS
    )
    thread = begin_thread(challenge, users["alice"], title="Do strains count?", text="See https://example.org/x.")
    reply_in_thread(thread, users["olga"], "Yes:\n\n- strains\n- `10116`")
    hide_post(reply_in_thread(thread, users["carol"], "Buy now."), users["olga"], "Advertising.")
    store_team_listing(challenge, users["alice"].teams.get(), listed=True)
    new = NewPicture("flow.png", read_picture(save(draw((1200, 500)))), "How the tasks follow each other")
    (picture,) = add_pictures(challenge, [new])
    Challenge.objects.filter(pk=challenge.pk).update(
        description=f"Find the **organisms** of an article.\n\n{picture.markdown}",
        organizer_names="Olga Organizer; Oscar Other",
        contact="olga@example.org",
        doi="10.1000/x",
        data_licence="CC0",
    )
    return thread


def make_site_challenge(olga):
    """Training with a board, development, and a test whose articles are hidden."""
    challenge = create_listed_challenge("Example challenge", "example", "What is in an article?", olga)
    act = creation.create_task(challenge, "ACT", Kind.CLASSIFICATION, "Relevant or not", note="A stand-in for a gold.")
    tx = creation.create_task(challenge, "TX", Kind.TAXON, "Organisms")
    training = creation.create_phase_claiming_blind_corpus(challenge, "training", make_corpus("training", PMIDS))
    store_gold_sealed_or_open(act, training, b"".join(b"%d\t%d\n" % (pmid, pmid % 2) for pmid in PMIDS), "act.tsv")
    store_gold_sealed_or_open(tx, training, b"".join(b"%d\t%d\n" % (pmid, organism(pmid)) for pmid in PMIDS), "tx.tsv")
    creation.create_phase_claiming_blind_corpus(challenge, "development", make_corpus("development", range(501, 521)))
    hidden = range(201, 221)
    test = creation.create_phase_claiming_blind_corpus(challenge, "test", make_corpus("blind", hidden, blind=True))
    store_gold_sealed_or_open(act, test, b"".join(b"%d\t%d\n" % (pmid, pmid % 2) for pmid in hidden), "act.tsv")
    create_challenge_corpus(challenge, "Unseen", "unseen", "", (), blind=True)
    make_draft_with_corpus_file(olga)
    upload_damaged_archive(olga)
    return challenge


def make_draft_with_corpus_file(olga):
    """A challenge that waits for its organizer to confirm what was found in a file."""
    content = b"31|t|p53 binds MDM2.\n31|a|So.\n31\t0\t3\tp53\tGene\t7157\n31\t10\t14\tMDM2\tGene\t4193\n\n"
    draft = creation.create_challenge("Drafted challenge", "drafted", "", olga)
    replace_corpus_file(draft, SimpleUploadedFile("corpus.txt", content), CorpusFile.Purpose.OPEN, olga)


def upload_damaged_archive(olga):
    """An archive that does not become a draft."""
    archive = store_draft_archive(b"PK\x03\x04 and no more", "example.zip", olga, {})
    process_draft_archive_unless_busy(archive.pk)


def organism(pmid):
    return (9606, 10090, 10116)[pmid % 3]


def make_site_runs(team, training):
    """Four servers, right about ever fewer articles, the last one still at it."""
    for number, slug in enumerate(("reader", "rules", "words", "guess")):
        act, tx = sorted(
            enter_eligible_server_and_enqueue_articles(make_server(team, slug), training), key=lambda run: run.task.name
        )
        for pmid in PMIDS if slug != "guess" else PMIDS[:12]:
            right = crc32(f"{slug}{pmid}".encode()) % 10 >= 2 * number
            answer(act, pmid, relevant((pmid % 2 == 1) == right, 0.5 + pmid % 10 / 20), duration=0.1 + number)
            answer(tx, pmid, species(str(organism(pmid) if right else 7227)), duration=0.1 + number)


def send(user, address, *files, **fields):
    """A form sent by the user with files, and the number in the address to which it leads."""
    client = Client()
    client.force_login(user)
    reply = client.post(address, {"file": [SimpleUploadedFile(name, body) for name, body in files], **fields})
    assert reply.status_code == 302, reply.content.decode()
    return int(reply.url.rstrip("/").rpartition("/")[2])


@dataclass(frozen=True)
class Site:
    """What stands in the addresses of pages."""

    users: dict[str, User]
    server: Server
    attempt: Attempt
    webhook: Webhook
    # Of a team, and of the challenge.
    challenge_webhooks: tuple[Webhook, Webhook]
    trials: list[int]
    result: Result
    request: ArticleRequest
    invitation: Invitation
    # Uploads of articles and of runs, by number: taken, refused.
    articles: tuple[int, int]
    runs: tuple[int, int]
    run: Run
    # A thread of the challenge.
    thread: DiscussionThread
    # carol, who goes on, and dan, who has paused.
    labellers: tuple[Labeller, Labeller]
    # Data sets: published, waiting for a review, and one that cannot be published.
    data_sets: tuple[int, int, int]
    # olga's curation project, with an article on which dan and carol differ, and one that carol has begun.
    project: int
    begun: int
    # olga's experiment, and articles that carol has finished in it: with answers, and without.
    experiment: int
    measured: tuple[int, int]
    # carol's curations: one that is open, and one that waits for a review.
    curations: tuple[int, int]
    # Of the links of a manuscript for its author and for reviewers, and of the author of one that is finished.
    manuscript_tokens: list[str]
    # Of eve.
    passkey: int
    # The key of carol's text.
    pasted_text: UUID


def make_data_sets(users):
    """The second is carol's, the others are alice's; the last is made of runs that only her team sees."""
    live = {"corpus": Corpus.objects.get(slug="reading"), "kinds": [Kind.MENTION, Kind.NORMALIZATION, Kind.TAXON]}
    runs = {"corpus": Corpus.objects.get(slug="training"), "kinds": [Kind.TAXON, Kind.CLASSIFICATION]}
    producers = Run.objects.filter(sort="online", task__name="TX", phase__corpus=runs["corpus"])
    runs["producers"] = list(producers.values_list("producer", flat=True))
    made = []
    for owner, recipe in (("alice", live), ("carol", live), ("alice", runs)):
        named = {"name": LONG[:100], "description": "For tests.", "licence": "CC-BY-4.0", "method": "majority"}
        made.append(create_data_set(users[owner], RecipeInput(**named, **recipe)))
        assert building_job.build_slice_unless_busy(made[-1].pk) == "built"
        made[-1].refresh_from_db()
    for data_set in made[:2]:
        publication.propose_data_set(data_set)
    publication.publish_proposed_data_set(made[0], User.objects.get(username="staff"))
    return tuple(data_set.pk for data_set in made)


def make_curation_project(users):
    """The corpus of the development phase, split; with an outcome and a disagreement."""
    corpus = Corpus.objects.get(slug="development")
    guideline = "Curate interactions that the article shows by experiment.\n\nNot what it cites."
    project = make_project(users["olga"], users["dan"], users["carol"], corpus=corpus, guideline=guideline)
    for pmid in (501, 502):
        curate(project, users["dan"], pmid, "P12830", *(["P35222"] if pmid == 501 else []))
        curate(project, users["carol"], pmid, "P12830")
    curate(project, users["carol"], 503)
    begun = curate(project, users["carol"], 504, "P12830", finish=False)
    split_unassigned_articles(project, 20, seed=1)
    return project.pk, begun.pk


def make_experiment_with_results(users):
    """Three articles by carol and one by dan, two of them with an outcome; carol has answered on the first."""
    corpus = Corpus.objects.get(slug="development")
    project = make_experiment(users["olga"], users["carol"], users["dan"], corpus=corpus)
    first = curate_in_arm(project, users["carol"], 501, "with", "P12830", "P35222", seconds=300)
    second = curate_in_arm(project, users["carol"], 502, "without", "P12830", seconds=640)
    curate_in_arm(project, users["dan"], 501, "without", "P12830", "P35222", seconds=580)
    curate_in_arm(project, users["carol"], 503, "without", seconds=90, finish=False)
    accept_agreed_articles(project, users["olga"].pk, datetime(2026, 3, 3, 12, tzinfo=UTC))
    answers = [4, 4, 2, 3, 5, 4, None, 4, 5]
    store_questionnaire_reply(first.pk, answers, f"Names of mice. {LONG}", datetime(2026, 3, 3, 12, tzinfo=UTC))
    return project.pk, (first.pk, second.pk)


def make_curations(users, article):
    """Two of carol's; the article has a published digital abstract by dan."""
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    published, proposed = begin(users["dan"], article), begin(users["carol"], Article.objects.get(pmid=101))
    interaction = Interaction(
        (Participant(EntityId("uniprot", "P12830"), "CDH1", 9606), Participant(EntityId("uniprot", "P35222"))),
        "MI:0915",
        (Detection("MI:0018", (EvidencePassage(Span(38, 74), article.text[38:74], "Figure 1"),)),),
        comment="Seen in two cell lines.",
    )
    item = ItemProposal(ItemKind.INTERACTION, "new-1", build_interaction_content(interaction))
    for each, decided in ((published, item), (proposed, propose_gene())):
        decide(each, "accept", decided)
        finish_curation(each.pk, 1, noon)
    publishing.publish_curation(published.pk, users["staff"].pk, noon)
    publishing.propose_curation(proposed.pk, noon)
    return begin(users["carol"], article).pk, proposed.pk


def make_manuscript(make):
    """A manuscript with guidelines and a comment of a reviewer, and one that its author has finished; the tokens of
    their links."""
    program = use_token(make_journal(make))
    _, answer = submit(program, reference=LONG[:100], guidelines="Name the organisms first.")
    finished, asked = submit(program)
    Curation.objects.filter(pk=finished.curation_id).update(state="finished")
    links = [answer["author_link"], answer["reviewer_link"], asked["author_link"]]
    address = f"/manuscripts/{answer['id']}/comment/"
    open_as(links[1]).post(address, {"name": "R. Two", "text": "Please name the detection method."})
    return [link.rstrip("/").rpartition("/")[2] for link in links]


def make_site(server, alice, olga, make):
    users = people(server.team, make) | {"alice": alice, "olga": olga}
    article = make_annotated_article(server.team)
    webhook = make_server_with_past(server)
    challenge = make_site_challenge(olga)
    training = challenge.phases.get(sort="training")
    make_site_runs(server.team, training)
    board = "/challenges/example/training/TX/runs/"
    good = b"".join(b"%d\t%d\t0.%d\n" % (pmid, organism(pmid - pmid % 4), 1 + pmid % 9) for pmid in PMIDS)
    for file in (("mine.tsv", good), (f"{LONG}.tsv", BAD_RUN)):
        send(alice, board, file)
    uploads = tuple(Upload.objects.order_by("pk").values_list("pk", flat=True))
    thread = talk_about_challenge(challenge, users)
    store_baseline_runs_replacing_earlier(challenge.tasks.get(name="ACT"), training)
    tasks.score_due_runs_after_cleaning_unless_busy()
    tasks.rank_stale_boards_unless_busy()
    make_adjudicated_pool(server.team, olga, users["carol"], users["finn"], users["eve"])
    update_summaries_flushing_indexes_requeueing_unless_busy()
    lifecycle.freeze_phase_and_hold_queues(challenge.phases.get(sort="development"), olga, "The network is down.")
    project, begun = make_curation_project(users)
    experiment, measured = make_experiment_with_results(users)
    return Site(
        passkey=make_passkey(users["eve"]),
        project=project,
        begun=begun,
        experiment=experiment,
        measured=measured,
        users=users,
        server=server,
        attempt=Attempt.objects.get(diagnosis="R104"),
        webhook=webhook,
        challenge_webhooks=make_challenge_webhooks(server.team, challenge),
        trials=make_trials(server.team, alice),
        result=article.results.first(),
        request=get_or_open_request_enqueueing_fetch(ArticleIds(16054130)),
        invitation=Invitation.objects.create(team=server.team, email="finn@example.org"),
        articles=tuple(
            send(users["staff"], "/articles/upload/", each)
            for each in (("good.txt", GOOD_ARTICLES), (f"{LONG}.txt", BAD_ARTICLES))
        ),
        runs=uploads,
        run=Run.objects.get(upload=uploads[0]),
        data_sets=make_data_sets(users),
        curations=make_curations(users, article),
        manuscript_tokens=make_manuscript(make),
        labellers=make_differing_labellers(challenge, users["carol"], users["dan"]),
        thread=thread,
        pasted_text=make_pasted_text(users["carol"]),
    )
