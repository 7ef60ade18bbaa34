"""Reviewers publish and decline what they have read, and nothing that was changed since."""

import re

import pytest

from annotations.curation.models import Curation, PublishedAbstract
from annotations.curation.publishing import propose_curation
from annotations.curation.session import finish_curation, reopen_curation
from tests.integration.article_cast import create_known_genes, make_read_article, read_page_words
from tests.integration.curation_cast import NOON, begin, decide, propose_gene

pytestmark = pytest.mark.django_db


@pytest.fixture
def curation(alice):
    create_known_genes()
    curation = begin(alice, make_read_article())
    decide(curation, "accept", propose_gene("P12830"))
    finish_curation(curation.pk, 1, NOON)
    propose_curation(curation.pk, NOON)
    return curation


@pytest.fixture
def reviewer(client, admin_user):
    client.force_login(admin_user)
    return client


def read_form(client, curation):
    page = client.get(f"/curation/review/{curation.pk}/").content.decode()
    return dict(re.findall(r'type="hidden" name="(proposed)" value="([^"]+)"', page))


def test_a_reviewer_publishes_what_was_read(reviewer, curation):
    form = read_form(reviewer, curation)
    reviewer.post(f"/curation/review/{curation.pk}/", form | {"decision": "publish"})
    assert PublishedAbstract.objects.get().curation == curation


def test_what_was_changed_and_proposed_again_is_neither_published_nor_declined_unread(reviewer, curation):
    form = read_form(reviewer, curation)
    reopen_curation(curation.pk, NOON)
    decide(curation, "accept", propose_gene("P35222"))
    finish_curation(curation.pk, 2, NOON)
    propose_curation(curation.pk, NOON.replace(hour=13))
    publish = {"decision": "publish"}
    wrong = publish | {"proposed": "2026-13-45T12:00:00+00:00"}
    for fields in (form | publish, publish, wrong, form | {"decision": "decline"}):
        refused = reviewer.post(f"/curation/review/{curation.pk}/", fields | {"reason": "Too short."})
        assert refused.status_code == 409
        words = read_page_words(refused)
        assert "changed since you opened this page" in words and "CTNNB1" in words
        assert "Too short." in refused.content.decode()
    assert not PublishedAbstract.objects.exists()
    assert Curation.objects.get().proposed


def test_what_is_not_proposed_any_more_is_said_in_the_list(reviewer, curation):
    form = read_form(reviewer, curation)
    reopen_curation(curation.pk, NOON)
    refused = reviewer.post(f"/curation/review/{curation.pk}/", form | {"decision": "publish"}, follow=True)
    assert "It is not proposed for publication any more." in read_page_words(refused)
    assert not PublishedAbstract.objects.exists()


def test_a_reason_is_asked_for_at_its_field(reviewer, curation):
    form = read_form(reviewer, curation)
    refused = reviewer.post(f"/curation/review/{curation.pk}/", form | {"decision": "decline", "reason": " "})
    assert refused.status_code == 422
    assert "Write why it is not published" in read_page_words(refused)
    assert 'aria-describedby="form-error"' in refused.content.decode()
    reviewer.post(f"/curation/review/{curation.pk}/", form | {"decision": "decline", "reason": "Too short."})
    curation.refresh_from_db()
    assert (curation.proposed, curation.declined) == (None, "Too short.")
