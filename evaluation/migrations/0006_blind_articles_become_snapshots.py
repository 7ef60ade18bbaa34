"""The articles of blind corpora become snapshots, with their identifiers in ArticleSnapshot.

The row of an article stays the snapshot, as participants know its opaque id. What is not of the test is not lost: if
the article is in a public corpus or has calls or Results that are not of the test, a new row is the article, and these
rows are moved to it. An article in blind corpora of several challenges has a snapshot for each.
"""

import json
from collections import defaultdict
from functools import partial

from django.db import migrations
from django.db.models import Q

from annotations.articles.models import make_opaque_identifier

ARTICLES_PER_BATCH = 500
IDENTIFYING_FIELDS = ("pmid", "doi", "pmcid", "journal", "year", "metadata")
NAMELESS = {"pmid": None, "doi": "", "pmcid": "", "journal": "", "year": None, "metadata": {}}
# The corpora that rows about an article belong to, by the paths from their model.
CORPUS_PATHS = {
    ("annotations", "CorpusArticle"): ["corpus"],
    ("annotations", "Result"): [
        "producer__runs__phase__corpus",
        "producer__gold__phase__corpus",
        "producer__labeller__labelling__corpus",
        "producer__by_hand__corpus",
    ],
    ("servers", "Call"): ["queue__producer__runs__phase__corpus"],
    ("evaluation", "ExcludedArticle"): ["phase__corpus"],
    ("evaluation", "Label"): ["labeller__labelling__corpus"],
    ("evaluation", "Labeller"): ["labelling__corpus"],
    ("evaluation", "Ruling"): ["labelling__corpus"],
    ("evaluation", "PooledPassage"): ["pool__phase__corpus"],
}
# They are of the article itself, and of nothing if it is not public.
OF_PUBLIC_ARTICLE = (("annotations", "ArticleRequest"), ("servers", "Trial"))


def take_snapshots(apps, schema_editor):
    corpora_by_article = _load_blind_corpora_by_article(apps)
    keys = list(corpora_by_article)
    for start in range(0, len(keys), ARTICLES_PER_BATCH):
        batch = keys[start : start + ARTICLES_PER_BATCH]
        for article in apps.get_model("annotations", "Article").objects.in_bulk(batch).values():
            _take_snapshots_of_article(apps, article, corpora_by_article[article.pk])


def _load_blind_corpora_by_article(apps):
    """{article: [[corpora of one challenge], ...]}; the first list has the corpus that is the oldest."""
    owner_by_corpus = dict(apps.get_model("evaluation", "CorpusOwner").objects.values_list("corpus", "challenge"))
    members = apps.get_model("annotations", "CorpusArticle").objects.filter(corpus__blind=True)
    groups = defaultdict(lambda: defaultdict(list))
    for article, corpus in members.order_by("article", "corpus").values_list("article", "corpus"):
        # A blind corpus without an owner belongs to nobody else.
        groups[article][owner_by_corpus.get(corpus, f"corpus {corpus}")].append(corpus)
    return {article: list(by_owner.values()) for article, by_owner in groups.items()}


def _take_snapshots_of_article(apps, article, corpora_of_challenges):
    first, *others = corpora_of_challenges
    blind_corpora = [corpus for corpora in corpora_of_challenges for corpus in corpora]
    names = {name: getattr(article, name) for name in IDENTIFYING_FIELDS}
    is_public = bool(others) or any(
        _filter_rows(apps, model, article).exclude(_belongs_to(paths, blind_corpora)).exists()
        for model, paths in CORPUS_PATHS.items()
    )
    Article = apps.get_model("annotations", "Article")
    Article.objects.filter(pk=article.pk).update(**NAMELESS, blind=True)
    _record_snapshot(apps, article.pk, first, names)
    for corpora in others:
        copied = _copy_article(apps, article, **NAMELESS, blind=True)
        _record_snapshot(apps, copied, corpora, names)
        _move_rows(apps, article, copied, partial(_belongs_to, corpora=corpora))
        _move_open_alternatives(apps, Q(gold__phase__corpus__in=corpora), article.pk, copied)
    public = _copy_article(apps, article, **names) if is_public else None
    if is_public:
        _move_rows(apps, article, public, lambda paths: ~_belongs_to(paths, blind_corpora))
        _move_open_alternatives(apps, ~Q(gold__phase__corpus__in=blind_corpora), article.pk, public)
        apps.get_model("annotations", "ArticleTakedown").objects.filter(article=article.pk).update(article=public)
    for model in OF_PUBLIC_ARTICLE:
        apps.get_model(*model).objects.filter(article=article.pk).update(article=public)
    apps.get_model("annotations", "ArticleSummary").objects.filter(article=article.pk).delete()


def _filter_rows(apps, model, article):
    return apps.get_model(*model).objects.filter(article=article.pk)


def _belongs_to(paths, corpora):
    condition = Q()
    for path in paths:
        condition |= Q(**{f"{path}__in": corpora})
    return condition


def _record_snapshot(apps, article_key, corpora, names):
    ArticleSnapshot = apps.get_model("annotations", "ArticleSnapshot")
    ArticleSnapshot.objects.create(article_id=article_key, corpus_id=corpora[0], **names)


def _copy_article(apps, article, **changes):
    """Store a copy of an article with its older texts, under another opaque id; returns its key."""
    # Its later name, if migrations of annotations were applied before this one.
    version = next(name for name in ("counted_version", "version") if hasattr(article, name))
    fields = ("passages", "text", "text_version", "content_hash", version, "added")
    values = {name: getattr(article, name) for name in fields} | {"opaque": make_opaque_identifier()} | changes
    copied = apps.get_model("annotations", "Article").objects.create(**values)
    OlderText = apps.get_model("annotations", "OlderText")
    OlderText.objects.bulk_create(
        OlderText(article=copied, text_version=text.text_version, passages=text.passages)
        for text in OlderText.objects.filter(article=article.pk)
    )
    return copied.pk


def _move_rows(apps, article, new_key, make_condition):
    """Let the rows that fulfil the condition, which depends on the paths to their corpora, refer to another article."""
    for model, paths in CORPUS_PATHS.items():
        rows = _filter_rows(apps, model, article).filter(make_condition(paths))
        keys = list(rows.values_list("pk", flat=True))
        apps.get_model(*model).objects.filter(pk__in=keys).update(article=new_key)


def _move_open_alternatives(apps, condition, old_key, new_key):
    """Alternatives name articles by their keys. Those of a sealed gold standard cannot be read here."""
    Alternatives = apps.get_model("evaluation", "Alternatives")
    for alternatives in Alternatives.objects.filter(condition, gold__producer__isnull=False):
        spans = json.loads(bytes(alternatives.places))
        if str(old_key) in spans:
            spans[str(new_key)] = spans.pop(str(old_key))
            alternatives.places = json.dumps(spans).encode()
            alternatives.save(update_fields=["places"])


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0006_blind_articles_are_snapshots"),
        ("servers", "0001_initial"),
        ("evaluation", "0005_challenge_state"),
    ]

    operations = [migrations.RunPython(take_snapshots, migrations.RunPython.noop)]
