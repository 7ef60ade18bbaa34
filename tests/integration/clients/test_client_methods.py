"""Every method of both clients against the site on loopback."""

import inspect
from datetime import datetime
from pathlib import Path

import pytest

from bcms_client import (
    AuthenticationError,
    ConflictError,
    InvalidFileError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
)
from bcms_client.binding import FileDownload, Listing, Operation
from bcms_client.calls import Call
from bcms_client.methods import ApiMethods
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.registry.models import Server
from tests.integration.evaluation_cast import make_corpus
from tests.integration.published_cast import publish_interaction

TASK = ("example", "training", "TX")


@pytest.fixture
def api(side, site, token):
    return side(site, token)


def test_both_clients_have_all_methods_here():
    methods = {name for name, each in vars(ApiMethods).items() if isinstance(each, Operation | Listing | FileDownload)}
    source = Path(__file__).read_text()
    assert len(methods) > 30
    assert sorted(name for name in methods if f'"{name}"' not in source) == []


def test_methods_keep_their_signatures_and_descriptions(api):
    def check(method):
        assert method.__doc__.startswith("One server;")
        assert list(inspect.signature(method).parameters) == ["slug"]

    from bcms_client import AsyncClient, Client

    check(Client(*api.arguments[0]).get_server)
    check(AsyncClient(*api.arguments[0]).get_server)


def test_servers(api, team):
    assert [each.slug for each in api.call("list_servers")] == ["genedict"]
    found = api.call("get_server", "genedict")
    assert (found.team.slug, found.kinds, found.state_since.tzinfo is not None) == (
        "team-alpha",
        ("mention", "normalization"),
        True,
    )
    [queue] = found.inside.queues
    assert (queue.mode, queue.waiting) == ("live", 1)
    assert [each.window for each in api.call("get_availability", "genedict").windows][:2] == ["24h", "7d"]
    account = api.call("get_account")
    assert (account.username, account.teams[0].slug, account.teams[0].role) == ("alice", "team-alpha", "manager")
    [own] = api.call("list_teams")
    assert (own.slug, own.servers[0].slug, own.members[0].user) == ("team-alpha", "genedict", "alice")
    made = api.call("register_server", "team-alpha", "Mine", "http://127.0.0.1:9/", ["taxon"], {"time_limit": 60})
    assert (made.inside.time_limit, Server.objects.get(slug="mine").kinds) == (60, ["taxon"])
    assert api.call("start_server", "genedict").state == "online"
    assert api.call("stop_server", "genedict").state == "offline"
    api.call("start_server", "genedict")
    assert api.call("stop_server", "genedict", now=True).state == "offline"
    assert api.call("load_articles", "genedict", corpus="four").added == 3
    assert len(api.call("list_calls", "genedict", state="waiting")) == 4
    assert "removed from the queue" in api.call("act_on_queue", "genedict", queue.id, "clear").done
    with pytest.raises(ConflictError, match="not stopped"):
        api.call("act_on_queue", "genedict", queue.id, "retry")


def test_challenges_and_runs(api, run_file, tmp_path):
    [challenge] = api.call("list_challenges")
    assert challenge == api.call("get_challenge", "example")
    assert ([task.name for task in challenge.tasks], challenge.phases[0].sort) == (["ACT", "TX"], "training")
    assert isinstance(challenge.phases[0].opens, datetime)
    target = api.call("download_phase_articles", "example", "training", tmp_path / "articles.xml", format="bioc-xml")
    assert "Article 104" in target.read_text()

    assert api.call("check_run", *TASK, run_file).results == 2
    upload = api.call("upload_run", *TASK, run_file, name="first", message="A new lexicon")
    assert (upload.done, upload.name, upload.message) == (True, "first", "A new lexicon")
    assert api.call("get_upload", upload.id) == api.call("wait_for_upload", upload.id)
    listed = api.call("list_runs", *TASK)
    assert (listed.used, listed.tries, listed.uploads[0].run) == (1, 1, upload.run)
    assert api.call("get_run", upload.run).score is None
    compute_and_store_run_scores(Run.objects.get(pk=upload.run))
    assert api.call("get_run", upload.run).score.figures["macro_f1"] > 0
    assert api.call("get_leaderboard", *TASK).rows[0].run == upload.run
    described = api.call("describe_run", upload.run, method_name="Lexicon", paper="10.1000/x")
    assert (described.method_name, described.paper) == ("Lexicon", "https://doi.org/10.1000/x")
    assert api.call("get_run", upload.run).description == described
    assert api.call("tag_run_as_final", upload.run).final
    assert not api.call("untag_run", upload.run).final
    with pytest.raises(ConflictError, match="cannot be withdrawn"):
        api.call("withdraw_run", upload.run)


def test_every_fault_of_a_file(api, run_file):
    run_file.write_text("101\thuman\n102\tmouse\n")
    for name in ("check_run", "upload_run"):
        with pytest.raises(InvalidFileError) as raised:
            api.call(name, *TASK, run_file)
        assert [(fault.line, fault.column, fault.code) for fault in raised.value.faults] == [
            (1, 5, "R712"),
            (2, 5, "R712"),
        ]


def test_curation(api, read_article, record_file):
    curation = api.call("begin_curation", "20000001")
    assert [each.id for each in api.call("list_curations")] == [curation.id]
    assert [each.article for each in api.call("get_worklist").to_curate] == ["20000001"]
    taken = api.call("upload_digital_abstract", curation.id, record_file, origin="system", basis="IntAct")
    assert (taken.added, taken.interactions, taken.left_out) == (1, 1, ())
    detail = api.call("get_curation", curation.id)
    assert (len(detail.items), len(detail.record.interactions)) == (1, 1)
    with pytest.raises(ConflictError):
        api.call("finish_curation", curation.id, 0)
    assert api.call("list_curation_projects") == []


def test_digital_abstracts(api, read_article, alice, tmp_path):
    publish_interaction(alice, read_article)
    formats = [each.slug for each in api.call("list_digital_abstract_formats")]
    record = api.call("get_digital_abstract", "20000001")
    assert (record.organisms, len(record.interactions), record.contributors[0]["name"]) == ((9606,), 1, "alice")
    for format in formats:
        for name, arguments in (("download_digital_abstract", ["20000001"]), ("download_digital_abstracts", [])):
            try:
                target = api.call(name, *arguments, format, tmp_path / f"{name}-{format}")
            except NotFoundError as error:
                assert "The formats are" in error.message
            else:
                assert target.stat().st_size


def test_articles_and_exports(api, read_article, tmp_path):
    assert len(api.call("list_articles")) == 5
    [found] = api.call("list_articles", q="cadherin", year_to=None)
    assert found.pmid == 20000001
    article = api.call("get_article", found.id)
    assert "".join(passage.text for passage in article.passages) == article.text.replace("\n", "")
    [result, *_] = api.call("get_annotations", found.id, kind="mention", server="gamma").results
    assert (result.kind, len(result.annotations), result.duration) == ("mention", 1, 0.5)
    assert [each.slug for each in api.call("list_corpora")] == ["four"]
    assert api.call("get_corpus", "four").articles[0] == "101"
    formats = [each.slug for each in api.call("list_export_formats")]
    assert len(formats) > 8
    for format in formats:
        target = api.call("export_article", found.id, format, tmp_path / f"one.{format}")
        assert target.stat().st_size
        target = api.call("export_articles", format, tmp_path / f"all.{format}", q="cadherin")
        assert target.stat().st_size
    assert not list(tmp_path.glob("*.part"))


def test_who_agrees_on_an_article_and_who_is_awaited(api, server, read_article):
    Server.objects.filter(pk=server.pk).update(state="online")
    consensus = api.call("get_consensus", "20000001", method="union", kind="normalization")
    [result] = consensus.results
    assert (consensus.method, result.kind, result.servers) == ("union", "normalization", ("alpha", "beta", "gamma"))
    assert result.annotations[0]["servers"] == ["alpha", "beta", "gamma"]
    assert api.call("get_consensus", "20000001", method="votes", threshold=4).results[0].annotations == ()
    assert not any(each.awaited for each in api.call("list_article_servers", "20000001"))
    called = api.call("call_article_servers", "20000001")
    assert [each.server for each in called if each.awaited] == ["genedict"]
    assert [each.server for each in api.call("list_article_servers", "20000001") if each.awaited] == ["genedict"]


def test_every_page_of_a_list_is_read(api, side):
    make_corpus("more", pmids=range(1001, 1231))
    found = api.call("list_articles", corpus="more")
    assert len({each.id for each in found}) == len(found) == 230


def test_what_the_server_refuses(side, site, api, carol, tmp_path):
    with pytest.raises(NotFoundError) as raised:
        api.call("get_server", "nobody")
    assert (raised.value.status, raised.value.code) == (404, "not-found")
    with pytest.raises(InvalidRequestError, match="colour"):
        api.call("list_articles", colour="red")
    with pytest.raises(AuthenticationError, match=r"bcms login"):
        side(site).call("list_teams")
    with pytest.raises(AuthenticationError, match="does not exist or was revoked"):
        side(site, "bcms_wrong").call("list_servers")
    from bcms.accounts import tokens

    readable = tokens.create_api_token_including_read_scope(carol, "reading", [])
    with pytest.raises(PermissionDeniedError, match="scope servers"):
        side(site, readable).call("start_server", "genedict")
    with pytest.raises(NotFoundError):
        api.call("export_articles", "nothing", tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def test_calls_of_ones_own(api):
    """A resource without a method is a call away."""
    measures = api.call("send", Call("GET", "measures/", lambda data: [each["name"] for each in data]))
    assert "macro_f1" in measures
