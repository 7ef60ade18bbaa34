"""The list of measures: all of the registry, without a query to the database."""

from evaluation.measures.registry import MEASURES


def test_it_lists_every_measure_with_its_formula(client, db, django_assert_num_queries):
    with django_assert_num_queries(0):
        listed = client.get("/api/v1/measures/").json()
    assert [own["name"] for own in listed] == [measure.name for measure in MEASURES]
    [mcc] = [own for own in listed if own["name"] == "mcc"]
    assert (mcc["label"], mcc["kinds"], mcc["scored"]) == ("MCC", ["classification"], True)
    assert mcc["formula"].startswith("(TP TN - FP FN)")
