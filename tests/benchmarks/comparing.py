"""How long it takes to compare the producers of whatever the database holds, of each kind the ten with most articles.

    python -m tests.benchmarks.comparing --articles 300
    DATABASE_URL=... REDIS_URL=... SECRET_KEY=x python -m tests.benchmarks.comparing

Prints the seconds of a comparison that was not made before, over all articles, and the ratio to one statement that
merely reads the same annotations. A corpus of all articles remains in the database.
"""

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_site
from tests.benchmarks.spent import measure_time

READ = """
    SELECT count(annotation.id) FROM annotations_result AS result
    JOIN annotations_annotation AS annotation ON annotation.result_id = result.id
    WHERE result.producer_id = ANY(%s) AND result.kind = %s AND result.superseded IS NULL
"""


def measure_comparisons():
    from annotations.results.models import Producer
    from annotations.schema import SEVEN_KINDS
    from evaluation.agreement.candidates import list_comparison_candidates
    from evaluation.agreement.comparison_choice import MAX_COMPARED_PRODUCERS

    corpus = make_corpus_of_all()
    with measure_time() as spent:
        candidates = list_comparison_candidates(corpus, Producer.objects.all())
    print(f"{'list of those to compare':<40}{spent}")
    for kind in SEVEN_KINDS:
        own = [each for each in candidates if each.kind == kind]
        if len(own) > 1:
            measure_kind(corpus, kind, sorted(own, key=lambda each: -each.articles)[:MAX_COMPARED_PRODUCERS])


def measure_kind(corpus, kind, producers):
    from django.db import connection

    from evaluation.agreement.comparison import compare_producers_and_their_earlier_answers

    with measure_time() as reading, connection.cursor() as cursor:
        cursor.execute(READ, [[own.id for own in producers], kind.value])
        (number,) = cursor.fetchone()
    with measure_time() as spent:
        compare_producers_and_their_earlier_answers(corpus, kind, producers)
    print(f"{len(producers):>2} of {kind.value:<14} {number:>9,} annotations {spent}")
    print_ratio(f"comparing {kind.value} / reading the annotations", spent.clock, reading.clock)


def make_corpus_of_all():
    from annotations.articles.models import Article, Corpus, CorpusArticle

    corpus, _ = Corpus.objects.get_or_create(slug="all", defaults={"name": "All articles"})
    keys = Article.objects.order_by("pk").values_list("pk", flat=True)
    members = [CorpusArticle(corpus=corpus, article_id=pk, position=position) for position, pk in enumerate(keys)]
    corpus.corpusarticle_set.all().delete()
    CorpusArticle.objects.bulk_create(members, batch_size=5000)
    return corpus


def main(articles: int = 0) -> None:
    """articles: made up, instead of those of the database"""
    with set_up_site(articles):
        measure_comparisons()


if __name__ == "__main__":
    run_main(main)
