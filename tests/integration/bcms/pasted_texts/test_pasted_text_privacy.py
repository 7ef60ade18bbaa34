"""Who sees a pasted text: its author alone, for a day. It is nowhere but in the tables of pasted texts."""

import logging
from datetime import timedelta

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotations.articles.models import Article
from annotations.results.models import Annotation, Result
from bcms.accounts.closing import close_account
from bcms.backup.stored_tables import LEFT_OUT
from bcms.operations import retention
from servers.audit.models import AuditEvent
from servers.calls import loop
from servers.calls.models import Attempt, Call
from servers.calls.outcomes.attempt_endings import check_answer_identifiers_and_build_ending
from servers.calls.queues.wake_ups import list_unleased_servers_with_work
from servers.pasted_texts import annotation, queries
from servers.pasted_texts.models import PastedText, PastedTextCall
from servers.registry.models import Server
from tests.integration.pasted_text_cast import TITLE

pytestmark = pytest.mark.django_db
# In the title and in the text.
WORD = "yxelgenin"


def list_addresses(pasted: PastedText) -> list[tuple[str, str]]:
    """Each with its method."""
    names = (("get", "pasted-text"), ("get", "pasted-text-live"), ("post", "pasted-text-delete"))
    return [(method, reverse(name, args=[pasted.key])) for method, name in names]


def test_nobody_else_sees_it_not_even_the_team_and_administrators(annotated, as_alice, django_user_model, olga):
    staff = django_user_model.objects.create_superuser("staff", "staff@example.org", "a-long-password")
    for user in (olga, staff):
        client = Client()
        client.force_login(user)
        assert [getattr(client, method)(url).status_code for method, url in list_addresses(annotated)] == [404] * 3
    assert [getattr(as_alice, method)(url).status_code for method, url in list_addresses(annotated)] == [404] * 3
    assert TITLE not in as_alice.get(reverse("annotate")).content.decode()
    assert PastedText.objects.exists()


def test_a_visitor_is_led_to_log_in_and_sees_nothing(client, annotated):
    for url in (reverse("annotate"), reverse("pasted-text", args=[annotated.key])):
        assert client.get(url).url == f"/login/?next={url}"
    assert client.get(reverse("pasted-text-live", args=[annotated.key])).status_code == 404


def test_no_cache_keeps_it(as_carol, annotated):
    for method, url in list_addresses(annotated)[:2]:
        assert "no-store" in getattr(as_carol, method)(url).headers["Cache-Control"]


def read_all_rows() -> dict[str, str]:
    """What each table has."""
    rows = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT string_agg(row::text, chr(10)) FROM "{table}" AS row')
            rows[table] = cursor.fetchone()[0] or ""
    return rows


def test_it_is_in_no_other_table_and_these_are_in_no_backup(annotated):
    tables = {table for table, rows in read_all_rows().items() if WORD in rows}
    assert tables == {"servers_pastedtext"}
    own = {model._meta.db_table for model in apps.get_models() if model in (PastedText, PastedTextCall)}
    assert own <= set(LEFT_OUT)


def test_it_is_no_article_and_counts_in_no_figure_of_the_server(annotated, receiving):
    for model in (Article, Result, Annotation, Call, Attempt):
        assert not model.objects.exists()
    server = Server.objects.get(pk=receiving.pk)
    assert (server.failures_running, server.misses, server.strikes) == (0, 0, 0)


def test_the_team_and_the_search_do_not_have_it(annotated, as_alice, receiving):
    for name in ("server", "server-attempts", "server-log"):
        assert WORD.encode() not in b"".join(as_alice.get(reverse(name, args=[receiving.slug])))
    assert str(annotated.key) not in as_alice.get(reverse("search"), {"q": TITLE}).content.decode()
    assert as_alice.get(reverse("search"), {"q": "Zyxelgenin"}).context["search"].results.hits == []


def test_the_logs_do_not_have_it_even_if_we_fail(send, receiving, monkeypatch, caplog):
    def fail(answer):
        raise RuntimeError(f"{TITLE} is in the message")

    monkeypatch.setattr("servers.pasted_texts.annotation.check_answer_identifiers_and_build_ending", fail)
    caplog.set_level(logging.DEBUG)
    send()
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    assert PastedTextCall.objects.get().failure == "our fault"
    assert "A pasted text was not annotated because of an error of ours: RuntimeError" in caplog.text
    assert WORD not in caplog.text


def test_the_audit_trail_has_whether_a_team_takes_texts_and_no_text(annotated, as_alice, receiving):
    fields = {"name": "GeneDict", "url": receiving.url, "protocol": "bcms", "method": "Annotator.getAnnotation"}
    fields |= {"send": "struct", "kinds": ["mention"], "time_limit": "60", "custom_parameters": "{}"}
    assert as_alice.post(reverse("server-edit", args=["genedict"]), fields).status_code == 302
    assert not Server.objects.get().accepts_pasted_texts
    event = AuditEvent.objects.get(action="server.changed")
    assert (event.before["accepts_pasted_texts"], event.after["accepts_pasted_texts"]) == (True, False)


def grow_old(hours: float) -> None:
    PastedText.objects.update(created=Now() - timedelta(hours=hours))


def test_it_is_gone_after_a_day(as_carol, annotated):
    grow_old(23.9)
    retention.delete_due_rows_unless_busy(timezone.now())
    assert as_carol.get(reverse("pasted-text", args=[annotated.key])).status_code == 200
    grow_old(24)
    assert as_carol.get(reverse("pasted-text", args=[annotated.key])).status_code == 404
    assert TITLE not in as_carol.get(reverse("annotate")).content.decode()
    deleted = retention.delete_due_rows_unless_busy(timezone.now())
    assert deleted["pasted texts of more than a day"] == 2
    assert not PastedTextCall.objects.exists()


def test_its_author_can_delete_it_at_once(as_carol, annotated):
    page = as_carol.post(reverse("pasted-text-delete", args=[annotated.key]), follow=True).content.decode()
    assert "The text and its annotations were deleted." in page
    assert not (PastedText.objects.exists() or PastedTextCall.objects.exists())


def test_an_answer_after_the_deletion_is_not_stored(as_carol, pasted, receiving, monkeypatch, annotator):
    def delete_and_check(answer):
        as_carol.post(reverse("pasted-text-delete", args=[pasted.key]))
        return check_answer_identifiers_and_build_ending(answer)

    monkeypatch.setattr(f"{annotation.__name__}.check_answer_identifiers_and_build_ending", delete_and_check)
    assert loop.run_slices_if_slot_and_lease_free(receiving.pk) == "idle"
    assert len(annotator.asked) == 1
    assert not (PastedText.objects.exists() or PastedTextCall.objects.exists())


def test_it_goes_with_its_account(annotated, carol):
    close_account(carol)
    assert not (PastedText.objects.exists() or PastedTextCall.objects.exists())


def test_an_account_has_three_open_texts_at_most(send, receiving, as_alice):
    for _ in range(3):
        assert send().status_code == 302
    refused = send()
    assert refused.status_code == 429
    assert "Servers still work on 3 of your texts." in refused.content.decode()
    fields = {"text": "CDH1", "servers": ["genedict"]}
    assert as_alice.post(reverse("annotate"), fields).status_code == 302
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    assert send().status_code == 302


def test_an_account_sends_so_many_texts_in_an_hour(send, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "paste_text": "2/h/user"}
    assert [send().status_code for _ in range(3)] == [302, 302, 429]
    PastedText.objects.all().delete()
    assert send().status_code == 429


def test_nobody_sends_a_text_before_the_address_is_confirmed(send, carol):
    carol.emailaddress_set.update(verified=False)
    refused = send()
    assert refused.status_code == 403
    assert "Confirm your e-mail address" in refused.content.decode()
    assert not PastedText.objects.exists()


def test_a_text_that_waits_for_too_long_is_not_sent(as_carol, pasted, receiving, annotator):
    assert list_unleased_servers_with_work().filter(pk=receiving.pk).exists()
    PastedText.objects.update(created=F("created") - queries.OPEN_FOR)
    assert not list_unleased_servers_with_work().filter(pk=receiving.pk).exists()
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    assert annotator.asked == []
    page = as_carol.get(reverse("pasted-text", args=[pasted.key])).content.decode()
    assert "no answer within 15 minutes" in page and "data-settled" in page


def test_a_server_that_was_stopped_leaves_no_text_open(as_carol, pasted, receiving, send):
    Server.objects.update(state="offline")
    page = as_carol.get(reverse("pasted-text", args=[pasted.key])).content.decode()
    assert "no answer: the server was stopped" in page
    assert queries.count_open_pasted_texts(pasted.user_id) == 0
