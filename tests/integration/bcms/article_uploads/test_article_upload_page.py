"""Articles sent in by the page: several files at once, all of them or none, at once or by a worker."""

import gzip
import re
from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotations.articles.imports.article_storage import ArticleStorageError
from annotations.articles.models import Article, ArticleChange
from annotations.articles.versions import count_changes_returning_whether_more_remain
from annotations.results.models import Producer, Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from bcms.article_uploads import article_import, upload_processing
from bcms.article_uploads.article_import import store_parsed_file_all_or_nothing
from bcms.article_uploads.models import ArticleUpload, UploadedArticleFile
from bcms.middleware import body_limits
from bcms.tasks import enqueue_open_article_uploads, store_or_refuse_article_upload_unless_busy
from tests.documents import docx, pdf
from tests.integration.annotations.articles.test_entrez_client import record
from tests.integration.bcms.article_uploads.test_article_uploads_api import PUBTATOR, organizer  # noqa: F401
from tests.unit.annotations.formats.articles.test_article_formats import BIOC, HTML, JATS

pytestmark = pytest.mark.django_db
BAD = "12|t|A\n12\tx\t3\tp53\tGene\t-\n"


def post(client, *files, **fields):
    sent = [
        SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode()) for name, content in files
    ]
    return client.post("/articles/upload/", {"file": sent, **fields})


def read_page_text(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def fetch_upload_report(client, response):
    assert response.status_code == 302, read_page_text(response)
    return read_page_text(client.get(response.url))


def test_it_stores_several_files_and_links_to_their_articles(organizer):  # noqa: F811
    reply = post(organizer, ("a.txt", PUBTATOR), ("b.xml", JATS.replace(">12<", ">14<")), ("c.html", HTML))
    page = organizer.get(reply.url)
    words = read_page_text(page)
    assert "All articles in 3 files were stored." in words
    size = len(PUBTATOR.encode())
    assert f"a.txt {size} bytes, PubTator: 2 new, 0 changed, 0 unchanged" in words.replace("\xa0", " ")
    assert [link in page.content.decode() for link in ('href="/articles/12/"', 'href="/articles/14/"')] == [True] * 2
    assert "Warnings: 1" in words
    assert not UploadedArticleFile.objects.exclude(content=None).exists()


def test_it_stores_web_annotations_in_turtle(organizer):  # noqa: F811
    """Its name is the longest one of a format."""
    post(organizer, ("a.txt", PUBTATOR))
    export = organizer.get("/articles/12/export/web-annotation-turtle/")
    words = fetch_upload_report(organizer, post(organizer, ("a.ttl", b"".join(export.streaming_content))))
    assert "Web Annotation (Turtle): 0 new, 0 changed, 1 unchanged" in words


def test_it_shows_few_warnings_at_once(organizer):  # noqa: F811
    page = organizer.get(post(organizer, ("a.txt", PUBTATOR)).url).content.decode()
    assert re.search(r'<details id="warnings-\d+" open>', page)


def test_what_comes_twice_changes_nothing_and_a_changed_text_is_told(organizer, olga):  # noqa: F811
    type(olga).objects.filter(pk=olga.pk).update(is_staff=True)
    post(organizer, ("a.txt", PUBTATOR))
    before = list(Article.objects.order_by("pk").values())
    assert "0 new, 0 changed, 2 unchanged" in fetch_upload_report(organizer, post(organizer, ("a.txt", PUBTATOR)))
    assert list(Article.objects.order_by("pk").values()) == before
    words = fetch_upload_report(organizer, post(organizer, ("a.txt", PUBTATOR.replace("So α.", "So β."))))
    assert "0 new, 1 changed, 1 unchanged" in words
    assert "12 p53 binds. changed 13 Mdm2 unchanged" in words


def test_answers_that_are_counted_meanwhile_are_no_change_of_an_article(organizer, olga, monkeypatch):  # noqa: F811
    type(olga).objects.filter(pk=olga.pk).update(is_staff=True)
    content = f"<PubmedArticleSet>{record(12)}</PubmedArticleSet>"
    post(organizer, ("a.xml", content))
    ArticleChange.objects.create(article=Article.objects.get())
    import_citations = article_import.import_citations_batch_by_batch

    def count_and_import(citations):
        count_changes_returning_whether_more_remain()
        return import_citations(citations)

    monkeypatch.setattr(article_import, "import_citations_batch_by_batch", count_and_import)
    words = fetch_upload_report(organizer, post(organizer, ("a.xml", content)))
    assert Article.objects.get().counted_version == 2
    assert "0 new, 0 changed, 1 unchanged" in words and words.count("unchanged") == 2


def test_an_organizer_changes_no_stored_article(organizer):  # noqa: F811
    post(organizer, ("a.txt", PUBTATOR))
    before = list(Article.objects.order_by("pk").values())
    words = fetch_upload_report(organizer, post(organizer, ("a.txt", PUBTATOR.replace("So α.", "So β."))))
    assert "0 new, 0 changed, 2 unchanged" in words
    assert "not changed, as only administrators change articles: PMID 12." in words
    assert list(Article.objects.order_by("pk").values()) == before


def test_it_stores_nothing_when_one_file_has_a_fault(organizer):  # noqa: F811
    reply = post(organizer, ("good.txt", PUBTATOR), ("bad.txt", BAD), ("worse.bin", b"\xff\xd8\xff\0"))
    page = organizer.get(reply.url)
    words = read_page_text(page)
    assert "Nothing was stored. Fix the errors below" in words
    assert re.search(r"bad\.txt .* 2 4 R654 ", words)
    assert 'href="/manual/rules/#R654"' in page.content.decode()
    assert "R450 this is neither text nor in a supported format" in words
    assert re.search(r"good\.txt [^:]*: no errors", words)
    assert not Article.objects.exists()


def test_it_stores_nothing_when_one_file_cannot_be_stored(organizer, monkeypatch):  # noqa: F811
    def store(parsed, user):
        if parsed.articles[0].ids.pmid == 78:
            raise ArticleStorageError("The text has too many different words.")
        return store_parsed_file_all_or_nothing(parsed, user)

    monkeypatch.setattr(upload_processing, "store_parsed_file_all_or_nothing", store)
    words = fetch_upload_report(organizer, post(organizer, ("a.txt", "77|t|New\n"), ("b.txt", "78|t|Other\n")))
    assert "The text has too many different words." in words
    assert not Article.objects.exists()


@pytest.mark.parametrize(
    "file",
    [("a.pdf", pdf(["Loss of CDH1"])), ("a.docx", docx(("Title", "Loss of CDH1"))), ("a.gz", gzip.compress(b"Loss"))],
)
def test_a_worker_reads_what_takes_long(organizer, file):  # noqa: F811
    reply = post(organizer, file, name="10.1000/x")
    assert "0 of 1 file read" in read_page_text(organizer.get(reply.url))
    upload = ArticleUpload.objects.get()
    assert organizer.get(f"{reply.url}live/?v=read-0").status_code == 204
    assert store_or_refuse_article_upload_unless_busy(upload.pk) == "stored"
    assert "All articles in 1 file were stored." in read_page_text(organizer.get(f"{reply.url}live/?v=read-0"))
    assert Article.objects.get().doi == "10.1000/x"
    assert store_or_refuse_article_upload_unless_busy(upload.pk) == "finished"


def test_it_tells_how_far_it_is(organizer):  # noqa: F811
    reply = post(organizer, ("a.txt", PUBTATOR), ("b.pdf", pdf(["Loss of CDH1"])))
    first, second = UploadedArticleFile.objects.order_by("pk")
    upload_processing.parse_uploaded_files_saving_reports([first])
    page = organizer.get(f"{reply.url}live/?v=read-0")
    assert "1 of 2 files read. Reading b.pdf" in read_page_text(page)
    assert f'value="{100 * first.size // (first.size + second.size)}"' in page.content.decode()


def test_a_file_that_kills_its_reader_is_given_up(organizer, monkeypatch):  # noqa: F811
    post(organizer, ("a.pdf", pdf(["Loss of CDH1"])))
    upload = ArticleUpload.objects.get()

    def dying(_):
        raise MemoryError

    monkeypatch.setattr(upload_processing, "parse_uploaded_files_saving_reports", dying)
    for _ in range(2):
        with pytest.raises(MemoryError):
            store_or_refuse_article_upload_unless_busy(upload.pk)
    assert store_or_refuse_article_upload_unless_busy(upload.pk) == "refused"
    assert "reading these files failed twice" in read_page_text(organizer.get(f"/articles/uploads/{upload.pk}/"))


def test_a_worker_that_dies_while_it_finishes_leaves_the_files_to_the_next(organizer, monkeypatch):  # noqa: F811
    post(organizer, ("a.pdf", pdf(["Loss of CDH1"])), name="10.1000/x")
    upload = ArticleUpload.objects.get()

    def dying(*_, **__):
        raise MemoryError

    with monkeypatch.context() as patched, pytest.raises(MemoryError):
        patched.setattr(ArticleUpload, "save", dying)
        store_or_refuse_article_upload_unless_busy(upload.pk)
    assert store_or_refuse_article_upload_unless_busy(upload.pk) == "stored"
    assert "0 new, 0 changed, 1 unchanged" in read_page_text(organizer.get(f"/articles/uploads/{upload.pk}/"))


def test_what_a_worker_left_is_found_again(organizer, monkeypatch):  # noqa: F811
    post(organizer, ("a.pdf", pdf(["Loss of CDH1"])), ("b.pdf", pdf(["More"])))
    woken = []
    monkeypatch.setattr(store_or_refuse_article_upload_unless_busy, "delay", woken.append)
    assert enqueue_open_article_uploads() == 1
    assert woken == [ArticleUpload.objects.get().pk]


def test_all_files_together_unpack_to_no_more_than_one_may(organizer, monkeypatch):  # noqa: F811
    monkeypatch.setattr(upload_processing, "LARGEST_UNPACKED", 20)
    files = [("a.txt.gz", gzip.compress(b"a title\nand more")), ("b.txt.gz", gzip.compress(b"another title"))]
    reply = post(organizer, *files)
    assert store_or_refuse_article_upload_unless_busy(ArticleUpload.objects.get().pk) == "refused"
    assert "R448 the file is larger than" in read_page_text(organizer.get(reply.url))


LONG = f"<PubmedArticleSet>{record(5, pmc='PMC' + '7' * 40, doi='10.1000/' + 'x' * 300)}</PubmedArticleSet>"
MANY_WORDS = " ".join(f"{number:x}" for number in range(300_000))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (LONG, "1 new, 0 changed, 0 unchanged"),
        (LONG.replace("No 5", MANY_WORDS), "An article has more than 1 MiB of distinct words"),
        (f"A title\n{MANY_WORDS}", "An article has more than 1 MiB of distinct words"),
    ],
    ids=["long names", "citation of many words", "text of many words"],
)
def test_it_stores_or_refuses_what_is_too_long(organizer, content, said):  # noqa: F811
    reply = post(organizer, ("a.txt", content))
    for upload in ArticleUpload.objects.filter(finished=None):
        store_or_refuse_article_upload_unless_busy(upload.pk)
    words = read_page_text(organizer.get(reply.url))
    assert said in words
    assert Article.objects.count() == ("1 new" in words)


@pytest.mark.parametrize(
    ("files", "fields", "said"),
    [
        ([], {}, "Choose a file."),
        ([("a.txt", "")], {}, "A file is empty"),
        ([("a.txt", "x"), ("b.txt", "y")], {"name": "12"}, "An identifier can be given for a single file only."),
        ([("a.txt", "x")], {"name": "my article"}, "Enter a PMID, PMCID or DOI"),
        ([("a.txt", "x")], {"format": "exe"}, "Select a valid choice"),
    ],
)
def test_it_says_what_is_wrong_with_the_form(organizer, files, fields, said):  # noqa: F811
    reply = post(organizer, *files, **fields)
    assert (reply.status_code, said in read_page_text(reply)) == (422, True)
    assert not ArticleUpload.objects.exists()


def test_it_takes_no_more_than_it_may(organizer, monkeypatch):  # noqa: F811
    monkeypatch.setitem(body_limits.LIMITS_BY_URL_NAME, "article-upload", replace(body_limits.ARTICLES, most_bytes=10))
    reply = post(organizer, ("a.txt", PUBTATOR))
    assert (reply.status_code, "larger than 20 MiB" in read_page_text(reply)) == (413, True)


def test_only_organizers_and_staff_may(client, carol, admin_client):
    assert client.get("/articles/upload/").status_code == 302
    client.force_login(carol)
    refused = client.get("/articles/upload/")
    assert refused.status_code == 403
    assert b'<a class="button" href="/challenges/">' in refused.content
    assert post(client, ("a.txt", PUBTATOR)).status_code == 403
    reply = post(admin_client, ("a.txt", PUBTATOR))
    assert admin_client.get(reply.url).status_code == 200
    assert client.get(reply.url).status_code == 403
    assert client.get(f"{reply.url}live/").status_code == 403


def test_the_account_page_leads_there_who_may(client, carol, organizer):  # noqa: F811
    assert b'href="/articles/upload/"' in organizer.get("/account/").content
    client.force_login(carol)
    assert b'href="/articles/upload/"' not in client.get("/account/").content


def test_it_is_guarded_against_forgery(olga):
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(olga)
    assert post(strict, ("a.txt", PUBTATOR)).status_code == 403


def test_it_needs_few_queries_however_many_files(organizer, django_assert_max_num_queries):  # noqa: F811
    reply = post(organizer, *[(f"{number}.txt", f"{number}|t|Title\n") for number in range(1, 20)])
    with django_assert_max_num_queries(8):
        organizer.get(reply.url)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.xml", f"<PubmedArticleSet>{record(12)}</PubmedArticleSet>"),
        ("a.xml", JATS),
        ("a.xml", BIOC),
        ("a.txt", PUBTATOR.partition("\n\n")[0]),
        ("a.html", HTML),
        ("a.json", '{"sourcedb": "PubMed", "sourceid": "12", "text": "p53 binds."}'),
        ("a.txt", "p53 binds.\n\nSo.\n"),
        ("a.pdf", pdf(["p53 binds."])),
        ("a.docx", docx(("Title", "p53 binds."))),
    ],
)
def test_every_way_in_keeps_earlier_annotations_with_the_text_they_were_made_on(
    organizer,  # noqa: F811
    olga,
    name,
    content,
):
    type(olga).objects.filter(pk=olga.pk).update(is_staff=True)

    def sent():
        post(organizer, (name, content), name="12")
        for upload in ArticleUpload.objects.filter(finished=None):
            store_or_refuse_article_upload_unless_busy(upload.pk)
        assert ArticleUpload.objects.order_by("-pk")[0].stored
        return Article.objects.get()

    article = sent()
    producer = Producer.objects.create(sort=Producer.Type.CURATOR, name="Curt", public=True)
    store_results_superseding_earlier(article, producer, {Kind.MENTION: []})
    unchanged = Article.objects.values().get()
    sent()
    assert Article.objects.values().get() == unchanged
    # What was there was another text with as many passages.
    old = [{**passage, "text": passage["text"] + " Old."} for passage in article.passages]
    Article.objects.update(passages=old, text="\n".join(p["text"] for p in old), content_hash="0" * 64)
    again = sent()
    assert (again.pk, again.text, again.text_version) == (article.pk, article.text, 2)
    result = Result.objects.get()
    assert (result.text_version, result.superseded) == (1, None)
