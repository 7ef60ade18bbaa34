"""How long it takes to compare the producers of whatever the database holds, of each kind the ten that say most.

    DATABASE_URL=... REDIS_URL=... SECRET_KEY=x python -m tests.benchmarks.comparing

Prints the seconds of a comparison that nobody has asked for before, over all articles, and how many times those are of
one statement that merely reads the same annotations. Leaves a corpus of all articles behind.
"""

import django

from tests.benchmarks.spent import spending

READ = """
    SELECT count(annotation.id) FROM annotations_result AS result
    JOIN annotations_annotation AS annotation ON annotation.result_id = result.id
    WHERE result.producer_id = ANY(%s) AND result.kind = %s AND result.superseded IS NULL
"""


def run():
    from annotations.results.models import Producer
    from annotations.schema import Kind
    from evaluation.agreement.candidates import list_comparison_candidates
    from evaluation.agreement.comparison_choice import MAX_COMPARED_PRODUCERS

    corpus = corpus_of_all()
    with spending() as spent:
        candidates = list_comparison_candidates(corpus, Producer.objects.all())
    print(f"{'who can be compared':<40}{spent}")
    for kind in Kind:
        own = [each for each in candidates if each.kind == kind]
        if len(own) > 1:
            measure(corpus, kind, sorted(own, key=lambda each: -each.articles)[:MAX_COMPARED_PRODUCERS])


def measure(corpus, kind, producers):
    from django.db import connection

    from evaluation.agreement.comparison import compare_producers

    with spending() as read, connection.cursor() as cursor:
        cursor.execute(READ, [[own.id for own in producers], kind.value])
        (number,) = cursor.fetchone()
    with spending() as spent:
        compare_producers(corpus, kind, producers)
    times = (spent.own + spent.database) / max(read.own + read.database, 0.01)
    print(f"{len(producers):>2} of {kind.value:<14} {number:>9,} annotations {spent}   {times:.1f} times reading them")


def corpus_of_all():
    from annotations.articles.models import Article, Corpus, CorpusArticle

    corpus, _ = Corpus.objects.get_or_create(slug="all", defaults={"name": "All articles"})
    keys = Article.objects.order_by("pk").values_list("pk", flat=True)
    members = [CorpusArticle(corpus=corpus, article_id=pk, position=place) for place, pk in enumerate(keys)]
    corpus.corpusarticle_set.all().delete()
    CorpusArticle.objects.bulk_create(members, batch_size=5000)
    return corpus


if __name__ == "__main__":
    django.setup()
    run()
