"""A journal sends manuscripts, follows them, and publishes them, whatever their authors do."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotations.articles.models import Article
from annotations.curation.manuscripts import publication
from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.models import Curation, PublishedAbstract
from annotations.results.models import Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from bcms.accounts.scopes import Scope
from bcms.tasks import publish_due_manuscripts_unless_busy, remind_authors_unless_busy
from servers.calls.claim import claim_next_call_within_rate_limit, get_server_with_queues
from servers.calls.models import Call
from servers.calls.queues import contents
from servers.registry.forms import ServerForm
from servers.registry.models import Server
from tests.integration.article_cast import create_known_genes, gene, make_read_article, read_page_words
from tests.integration.curation_cast import decide, list_states, propose_gene
from tests.integration.manuscript_cast import TEXT, TITLE, URL, open_as, submit, use_token

pytestmark = pytest.mark.django_db


def act(program, manuscript, action, **fields):
    return program.post(f"{URL}{manuscript.pk}/{action}/", fields, content_type="application/json")


def test_it_stores_a_private_article_and_calls_only_those_who_accepted_the_terms(submitted, queues):
    manuscript, answer = submitted
    article = manuscript.article
    assert (article.blind, article.pmid, article.text.startswith(TITLE)) == (True, None, True)
    call = Call.objects.get()
    assert (call.server.slug, call.article, call.priority) == ("alpha", article, Call.Priority.MANUSCRIPT)
    assert (answer["state"], answer["article"], answer["servers"]) == (
        "invited",
        None,
        [{"server": "alpha", "state": "awaited"}],
    )
    assert answer["author_link"] != answer["reviewer_link"]


def test_its_calls_go_before_all_others(submitted, queues, lease_of):
    other = make_read_article()
    Call.objects.create(
        queue=queues[0], server=queues[0].server, article=other, priority=Call.Priority.FRONT_PAGE, due="2026-01-01T00Z"
    )
    server = queues[0].server
    claim = claim_next_call_within_rate_limit(get_server_with_queues(server.pk), lease_of(server))
    assert (claim.article, claim.blind) == (submitted[0].article, True)


@pytest.fixture
def lease_of():
    import uuid

    def take(server):
        token = uuid.uuid4()
        until = timezone.now() + timedelta(minutes=5)
        Server.objects.filter(pk=server.pk).update(lease_token=token, lease_until=until)
        return token

    return take


def test_it_takes_a_file_of_an_import_format(program, queues):
    text = b"0|t|A title of nobody's.\n0|a|An abstract of nobody's.\n"
    response = program.post(URL, {"file": SimpleUploadedFile("m.txt", text), "reference": "F-1"})
    assert response.status_code == 201, response.content.decode()
    assert Manuscript.objects.get().article.title == "A title of nobody's."


@pytest.mark.parametrize(
    ("fields", "where", "problem"),
    [
        ({"passages": []}, "passages", "may not be empty"),
        ({"title": " "}, "title", "may not be blank"),
        ({"public_on": "2020-01-01"}, "public_on", "Give a date in the future"),
        ({"author_mail": "nobody"}, "author_mail", "valid email"),
        ({"reference": "E-1"}, "reference", "Use that one, or another"),
        ({"link_days": 0}, "link_days", "greater than or equal to 1"),
    ],
)
def test_it_says_what_is_wrong_with_one(program, submitted, fields, where, problem):
    response = program.post(URL, TEXT | fields, content_type="application/json")
    assert response.status_code == 400
    (fault,) = response.json()["errors"]
    assert (fault["loc"], problem in fault["message"]) == (where, True), fault
    assert Article.objects.filter(manuscript__isnull=False).count() == 1


def test_it_refuses_a_file_of_two_articles(program, db):
    file = SimpleUploadedFile("m.txt", b"1|t|One.\n1|a|A.\n\n2|t|Two.\n2|a|B.\n")
    response = program.post(URL, {"file": file})
    assert "The file has 2 articles. Send each manuscript alone." in response.json()["errors"][0]["message"]


def test_only_journals_send_them_and_only_with_the_scope(alice, journal, db):
    refused = use_token(alice).post(URL, TEXT, content_type="application/json")
    assert (refused.status_code, "Ask an administrator" in refused.json()["detail"]) == (403, True)
    others = [scope for scope in Scope if scope != Scope.MANUSCRIPTS]
    refused = use_token(journal, *others).post(URL, TEXT, content_type="application/json")
    assert (refused.status_code, "requires the scope manuscripts" in refused.json()["detail"]) == (403, True)
    assert not Manuscript.objects.exists()


def test_it_is_nobody_elses(client, carol, manuscript, django_user_model):
    staff = django_user_model.objects.create_superuser("root", "root@example.org", "a-long-password")
    for user in (carol, staff):
        program = use_token(user)
        assert program.get(f"{URL}{manuscript.pk}/").status_code == 404
        assert program.get(URL).json()["results"] == []
        for action in ("publish", "withdraw", "remind"):
            assert act(program, manuscript, action).status_code == 404
    assert client.get(URL).status_code == 401


def test_it_publishes_without_waiting_for_the_author(program, client, manuscript, queues):
    store_results_superseding_earlier(manuscript.article, queues[0].producer, {Kind.NORMALIZATION: [gene("P12830")]})
    answer = act(program, manuscript, "publish", doi="10.1000/zlp9").json()
    assert (answer["state"], answer["article"]) == ("published", manuscript.article.opaque)
    assert TITLE in client.get(f"/articles/{manuscript.article.opaque}/").content.decode()
    assert not PublishedAbstract.objects.exists()
    assert act(program, manuscript, "publish", pmid=77).json()["article"] == "77"
    assert Article.objects.get(pmid=77).doi == "10.1000/zlp9"


def test_it_publishes_with_the_record_of_the_author(program, submitted):
    manuscript, answer = submitted
    author = open_as(answer["author_link"])
    page = f"/curation/{manuscript.curation_id}/"
    author.get(page)
    author.post(f"{page}finish/", {"seen": 0, "nothing_found": "1"})
    assert program.get(f"{URL}{manuscript.pk}/").json()["state"] == "finished"
    act(program, manuscript, "publish", pmid=77)
    assert PublishedAbstract.objects.get().article.pmid == 77


def test_it_is_shown_beside_an_article_with_its_identifiers(program, manuscript, queues):
    known = make_read_article()
    for article in (known, manuscript.article):
        store_results_superseding_earlier(article, queues[0].producer, {Kind.NORMALIZATION: [gene("P12830")]})
    answer = act(program, manuscript, "publish", pmid=known.pmid).json()
    assert answer["article"] == manuscript.article.opaque
    assert Result.objects.filter(superseded=None, article__blind=False).count() == 2


def test_it_attaches_no_identifier_of_another_article(program, manuscript):
    act(program, manuscript, "publish")
    known = make_read_article()
    refused = act(program, manuscript, "publish", pmid=known.pmid)
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        f"Another article of this site has the PMID {known.pmid}.",
    )
    assert act(program, manuscript, "publish", doi="10.1000/a").status_code == 200
    assert act(program, manuscript, "publish", doi="10.1000/b").status_code == 409


def test_a_day_publishes_it(program, manuscript):
    tomorrow = timezone.now() + timedelta(days=1)
    later, _ = submit(program, public_on=tomorrow.date().isoformat())
    assert publish_due_manuscripts_unless_busy() == 0
    Manuscript.objects.filter(pk=later.pk).update(public_on=timezone.now().date())
    assert publish_due_manuscripts_unless_busy() == 1
    assert set(Article.objects.filter(blind=False)) == {later.article}


def test_one_that_is_withdrawn_meanwhile_keeps_no_other_from_its_day(program, queues, monkeypatch):
    first, second, third = (submit(program, reference=f"D-{number}")[0] for number in range(3))
    Manuscript.objects.update(public_on=timezone.now().date())
    lock = publication.lock_imports_until_commit

    def withdraw_the_second(**options):
        Manuscript.objects.filter(pk=second.pk).update(state="withdrawn")
        lock(**options)

    monkeypatch.setattr(publication, "lock_imports_until_commit", withdraw_the_second)
    assert publish_due_manuscripts_unless_busy() == 2
    assert set(Article.objects.filter(blind=False)) == {first.article, third.article}


def test_it_is_withdrawn_for_good(program, manuscript, queues):
    assert act(program, manuscript, "withdraw").json()["state"] == "withdrawn"
    assert not Call.objects.exists()
    for action, fields in {"publish": {}, "withdraw": {}, "links": {"role": "author"}}.items():
        assert act(program, manuscript, action, **fields).status_code == 409
    assert contents.enqueue_articles_without_open_or_test_call(queues[0], [manuscript.article_id]) == 0


def test_no_server_gets_it_again_whose_team_has_withdrawn_its_consent(manuscript, queues):
    server = queues[0].server
    values = {"name": server.name, "url": server.url, "kinds": server.kinds, "protocol": "bcms", "send": "struct"}
    form = ServerForm(values | {"method": server.method, "time_limit": 60}, instance=Server.objects.get(pk=server.pk))
    assert form.is_valid(), form.errors
    form.store()
    assert not Call.objects.exists()
    assert contents.enqueue_articles_without_open_or_test_call(queues[0], [manuscript.article_id]) == 0
    Server.objects.update(confidential=True)
    assert contents.enqueue_articles_without_open_or_test_call(queues[0], [manuscript.article_id]) == 1


def test_it_records_a_refusal_and_a_new_link_takes_it_back(program, manuscript):
    assert act(program, manuscript, "refuse", reason="").status_code == 400
    answer = act(program, manuscript, "refuse", reason="No time.").json()
    assert (answer["state"], answer["reason"]) == ("refused", "No time.")
    assert act(program, manuscript, "links", role="reviewer").status_code == 201
    assert program.get(f"{URL}{manuscript.pk}/").json()["reason"] == "No time."
    assert act(program, manuscript, "links", role="author").status_code == 201
    assert program.get(f"{URL}{manuscript.pk}/").json()["state"] == "invited"


def test_it_mails_the_author_once_a_day(program, db):
    manuscript, answer = submit(program, author_mail="ada@example.org", reference="E-7")
    (sent,) = mail.outbox
    assert (sent.to, answer["author_link"] in sent.body) == (["ada@example.org"], True)
    assert act(program, manuscript, "remind").status_code == 409
    Manuscript.objects.update(reminded=timezone.now() - timedelta(days=2))
    assert act(program, manuscript, "remind").status_code == 200
    assert "Reminder" in mail.outbox[1].subject
    assert answer["author_link"] not in mail.outbox[1].body
    open_as(next(line for line in mail.outbox[1].body.splitlines() if "/manuscripts/open/" in line))


def test_it_reminds_nobody_without_an_address(program, manuscript):
    assert "no address of its author" in act(program, manuscript, "remind").json()["detail"]


def test_it_suggests_official_symbols_as_keywords(program, manuscript, queues):
    create_known_genes()
    found = {queues[0]: [gene("P35222"), gene("P12830"), gene("Q00000")], queues[1]: [gene("P35222")]}
    for queue, genes in found.items():
        store_results_superseding_earlier(manuscript.article, queue.producer, {Kind.NORMALIZATION: genes})
    answer = program.get(f"{URL}{manuscript.pk}/").json()
    assert answer["keywords"] == ["CTNNB1", "CDH1"]


def test_the_list_takes_a_fixed_number_of_queries(program, queues, django_assert_max_num_queries):
    for number in range(4):
        submit(program, reference=f"N-{number}")
    with django_assert_max_num_queries(6):
        assert len(program.get(URL).json()["results"]) == 4


def test_it_reminds_authors_each_week_for_four_weeks_unless_they_have_finished(program, db):
    manuscript, _ = submit(program, author_mail="ada@example.org")
    assert remind_authors_unless_busy() == 0
    week = timedelta(days=7)
    Manuscript.objects.update(reminded=timezone.now() - week)
    assert (remind_authors_unless_busy(), remind_authors_unless_busy()) == (1, 0)
    assert "Reminder" in mail.outbox[1].subject
    for change in ({"state": "refused"}, {"created": timezone.now() - 5 * week}):
        before = Manuscript.objects.values(*change).get(pk=manuscript.pk)
        Manuscript.objects.update(reminded=timezone.now() - week, **change)
        assert remind_authors_unless_busy() == 0
        Manuscript.objects.update(**before)
    Curation.objects.filter(pk=manuscript.curation_id).update(state="finished")
    assert remind_authors_unless_busy() == 0


def test_a_curator_of_the_journal_takes_over_the_record_and_it_is_published_with_both_names(
    program, client, carol, finished_by_author
):
    answer = act(program, finished_by_author, "curators", person="carol").json()
    curation = Curation.objects.get(curator__user=carol)
    assert answer["curators"] == [{"curation": curation.pk, "curator": "carol", "state": "assigned"}]
    as_carol = Client()
    as_carol.force_login(carol)
    assert TITLE in as_carol.get("/curation/").content.decode()
    page = f"/curation/{curation.pk}/"
    shown = as_carol.get(page).content.decode()
    assert "Take over the record of Author of the article" in shown
    assert f"/articles/{finished_by_author.article.opaque}/" not in shown
    as_carol.post(f"{page}continue/")
    assert list_states(curation) == {"uniprot:P12830": "accepted"}
    as_carol.post(f"{page}finish/", {"seen": 1})
    act(program, finished_by_author, "publish")
    words = read_page_words(client.get(f"/articles/{finished_by_author.article.opaque}/"))
    assert "By Author of the article (author) and carol" in words


def test_it_publishes_the_record_of_the_author_if_a_curator_opens_the_later_one_again_meanwhile(
    program, client, carol, finished_by_author, monkeypatch
):
    act(program, finished_by_author, "curators", person="carol")
    curation = Curation.objects.get(curator__user=carol)
    Curation.objects.filter(pk=curation.pk).update(state="finished", finished=timezone.now(), record={})
    lock = publication.lock_curation

    def open_again_first(curation_id):
        Curation.objects.filter(pk=curation.pk).update(state="open")
        return lock(curation_id)

    monkeypatch.setattr(publication, "lock_curation", open_again_first)
    act(program, finished_by_author, "publish")
    assert PublishedAbstract.objects.get().curation_id == finished_by_author.curation_id


def test_a_curator_takes_over_a_record_that_is_finished_later_and_again_after_undo(program, carol, finished_by_author):
    act(program, finished_by_author, "curators", person="carol")
    curation, as_carol = Curation.objects.get(curator__user=carol), Client()
    as_carol.force_login(carol)
    page, button = f"/curation/{curation.pk}/", "Take over the record of"
    as_carol.get(page)
    decide(curation, "accept", propose_gene("P35222"))
    assert button in as_carol.get(page).content.decode()
    as_carol.post(f"{page}continue/")
    assert button not in as_carol.get(page).content.decode()
    decide(curation, "undo")
    assert button in as_carol.get(page).content.decode()
    assert list_states(curation) == {"uniprot:P35222": "accepted"}


def test_an_assigned_curator_gets_a_mail_and_reads_the_comments(program, carol, submitted):
    manuscript, answer = submitted
    act(program, manuscript, "curators", person="carol")
    (sent,) = mail.outbox
    curation = Curation.objects.get(curator__user=carol)
    assert (sent.to, f"/curation/{curation.pk}/" in sent.body) == ([carol.email], True)
    assert TITLE not in sent.subject + sent.body
    act(program, manuscript, "curators", person="carol")
    assert len(mail.outbox) == 1
    reviewer = open_as(answer["reviewer_link"])
    reviewer.post(f"/manuscripts/{manuscript.pk}/comment/", {"text": "Name the method."})
    as_carol = Client()
    as_carol.force_login(carol)
    shown = as_carol.get(f"/curation/{curation.pk}/").content.decode()
    assert "Name the method." in shown
    assert "Mark as done" not in shown


def test_a_journal_revokes_an_assignment(program, client, carol, finished_by_author):
    manuscript = finished_by_author
    act(program, manuscript, "curators", person="carol")
    curation, as_carol = Curation.objects.get(curator__user=carol), Client()
    as_carol.force_login(carol)
    page = f"/curation/{curation.pk}/"
    as_carol.get(page)
    as_carol.post(f"{page}continue/")
    as_carol.post(f"{page}finish/", {"seen": 1})
    url = f"{URL}{manuscript.pk}/curators/{curation.pk}/"
    assert (program.delete(url).status_code, program.delete(url).status_code) == (204, 404)
    assert program.get(f"{URL}{manuscript.pk}/").json()["curators"] == []
    assert as_carol.get(page).status_code == 404
    assert TITLE not in as_carol.get("/curation/").content.decode()
    assert as_carol.get(f"/api/v1/curations/{curation.pk}/").status_code == 404
    act(program, manuscript, "publish")
    assert PublishedAbstract.objects.get().curation == manuscript.curation
    assert program.delete(url).status_code == 409


def test_an_assignment_that_was_revoked_can_be_made_again(program, carol, manuscript):
    act(program, manuscript, "curators", person="carol")
    curation = Curation.objects.get(curator__user=carol)
    program.delete(f"{URL}{manuscript.pk}/curators/{curation.pk}/")
    answer = act(program, manuscript, "curators", person="carol").json()
    assert [each["curation"] for each in answer["curators"]] == [curation.pk]
    assert len(mail.outbox) == 2


def test_a_curator_sees_nothing_of_a_manuscript_that_is_withdrawn(program, carol, manuscript):
    act(program, manuscript, "curators", person="carol")
    act(program, manuscript, "withdraw")
    as_carol = Client()
    as_carol.force_login(carol)
    assert as_carol.get(f"/curation/{Curation.objects.get(curator__user=carol).pk}/").status_code == 404
    assert TITLE not in as_carol.get("/curation/").content.decode()
    assert act(program, manuscript, "curators", person="carol").status_code == 409


def test_it_says_whom_it_does_not_know(program, manuscript):
    refused = act(program, manuscript, "curators", person="nobody")
    assert (refused.status_code, "No account has the user name" in refused.content.decode()) == (400, True)
    assert not Curation.objects.filter(curator__user__isnull=False).exists()


def test_it_publishes_without_a_record_that_is_sealed(program, client, finished_by_author, monkeypatch):
    monkeypatch.setattr("bcms.manuscripts.api.is_record_publishable", lambda curation: False)
    answer = act(program, finished_by_author, "publish").json()
    assert answer["state"] == "published" and not PublishedAbstract.objects.exists()
