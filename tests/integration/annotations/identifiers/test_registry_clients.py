"""UniProt, NCBI and PSI-MI are asked politely, and every answer of theirs is understood or refused."""

import gzip
import json
import time

import pytest

from annotations.errors import ServiceUnavailableError
from annotations.identifiers.lookup import registry_client
from annotations.identifiers.lookup.ncbi_eutils import EutilsClient
from annotations.identifiers.lookup.psi_mi_ontology import OntologyClient
from annotations.identifiers.lookup.registry_client import RegistryClient
from annotations.identifiers.lookup.uniprot_rest import MOST_SINGLE_REQUESTS, UniProtClient
from tests.registries import Answer, Registries, gene, inactive, protein
from tests.shared_data import require_shared_path

LOOPBACK = ["127.0.0.0/8"]
HTML = b"<!DOCTYPE html><html><body>We are down for maintenance.</body></html>"


@pytest.fixture
def held():
    with Registries() as registries:
        yield registries


def door(**more):
    return RegistryClient("UniProt", **{"per_second": 1000, "networks": LOOPBACK, "retry_delays": (0.0,), **more})


def uniprot(held, **more):
    return UniProtClient(door(**more), held.url)


def eutils(held, **more):
    return EutilsClient(door(**more), held.url + "eutils/", "site@example.org", "key")


def test_it_asks_for_many_proteins_at_once(held):
    held.proteins = {"P01375": protein("P01375", "Tumor necrosis factor", "TNF"), "P04637": protein("P04637")}
    tnf, p53 = uniprot(held, contact="site@example.org").look_up_entries(["P01375", "P04637"])
    assert (tnf.identifier, tnf.name, tnf.symbol, tnf.taxon) == ("P01375", "Tumor necrosis factor", "TNF", 9606)
    assert (tnf.exists, tnf.withdrawn, p53.identifier) == (True, False, "P04637")
    assert len(held.asked) == 1
    assert held.senders == {"site@example.org"}


def test_it_takes_location_and_function_of_proteins_and_genes(held):
    comments = [
        {"commentType": "FUNCTION", "texts": [{"value": "Binds DNA (PubMed:1)."}, {"value": "Ends it."}, "odd"]},
        {"commentType": "FUNCTION", "texts": [{"value": "In isoform 2 nothing."}]},
        {
            "commentType": "SUBCELLULAR LOCATION",
            "subcellularLocations": [
                {"location": {"value": "Cell membrane"}, "topology": {"value": "Multi-pass membrane protein"}},
                {"location": {"value": "Nucleus"}},
                "odd",
            ],
        },
    ]
    held.proteins = {
        "P04637": {**protein("P04637"), "comments": comments},
        "P01375": {**protein("P01375"), "comments": 1},
    }
    p53, tnf = uniprot(held).look_up_entries(["P04637", "P01375"])
    assert (p53.function, p53.location) == (
        "Binds DNA. Ends it.",
        "Cell membrane; Multi-pass membrane protein. Nucleus",
    )
    assert (tnf.function, tnf.location) == ("", "")
    told = "<Chromosome>17</Chromosome><MapLocation>17p13.1</MapLocation><Summary>Responds to stress.</Summary><Status>"
    held.genes = {"7157": gene("7157", "TP53").replace("<Status>", told), "9": gene("9", "X")}
    tp53, other = eutils(held).look_up_genes(["7157", "9"])
    assert (tp53.location, tp53.function) == ("17p13.1", "Responds to stress.")
    assert (other.location, other.function) == ("", "")


def test_it_takes_the_genes_of_proteins(held):
    references = [
        {"database": "KEGG", "id": "hsa:7157"},
        {"database": "GeneID", "id": "7157"},
        {"database": "GeneID", "id": "x"},
        "odd",
    ]
    held.proteins = {"P04637": {**protein("P04637"), "uniProtKBCrossReferences": references}}
    p53, isoform = uniprot(held).look_up_entries(["P04637", "P04637-2"])
    assert p53.genes == isoform.genes == ("7157",)


def test_it_tells_merged_divided_and_withdrawn_proteins_from_those_that_never_were(held):
    held.proteins = {
        "P04637": protein("P04637", "p53"),
        "Q15086": "P04637",
        "P62158": inactive("P62158", "DEMERGED", "P0DP23", "P0DP24"),
        "A0A001": inactive("A0A001", "DELETED"),
    }
    names = ["Q15086", "P62158", "A0A001", "Q99999", "P04637"]
    merged, divided, deleted, never, current = uniprot(held).look_up_entries(names)
    assert (merged.identifier, merged.name, merged.withdrawn, merged.successors) == ("Q15086", "p53", True, ("P04637",))
    assert (divided.exists, divided.withdrawn, divided.successors) == (True, True, ("P0DP23", "P0DP24"))
    assert (deleted.exists, deleted.withdrawn, deleted.successors) == (True, True, ())
    assert (never.exists, never.withdrawn) == (False, False)
    assert (current.exists, current.successors) == (True, ())


def test_it_asks_for_an_isoform_by_its_entry(held):
    held.proteins = {"P04637": protein("P04637", "p53")}
    isoform, never = uniprot(held).look_up_entries(["P04637-2", "Q99999-1"])
    assert (isoform.identifier, isoform.name, isoform.exists) == ("P04637-2", "p53", True)
    assert (never.identifier, never.exists) == ("Q99999-1", False)


def test_it_leaves_some_for_another_time(held):
    accessions = [f"Q{number}" for number in range(10000, 10000 + 2 * MOST_SINGLE_REQUESTS)]
    answered = uniprot(held).look_up_entries(accessions)
    assert len(answered) == MOST_SINGLE_REQUESTS


def test_it_reads_real_records_of_uniprot(held):
    held.proteins = {
        "P37840": json.loads(require_shared_path("samples", "uniprot", "P37840.rest.json").read_bytes()),
        "P04637": json.loads(
            gzip.decompress(require_shared_path("samples", "uniprot", "P04637.rest.json.gz").read_bytes())
        ),
    }
    synuclein, p53 = uniprot(held).look_up_entries(["P37840", "P04637"])
    assert (synuclein.name, synuclein.symbol, synuclein.taxon) == ("Alpha-synuclein", "SNCA", 9606)
    assert {"NACP", "PARK1", "Non-A beta component of AD amyloid"} <= set(synuclein.synonyms)
    assert (p53.name, p53.symbol) == ("Cellular tumor antigen p53", "TP53")


def test_it_asks_for_genes(held):
    held.genes = {
        "7124": gene("7124", "TNF"),
        "11": gene("11", "OLD", status="1", current="7124"),
        "12": gene("12", "GONE", status="2"),
        "13": '<DocumentSummary uid="13"><error>try later</error></DocumentSummary>',
    }
    tnf, merged, gone, unsure, never = eutils(held).look_up_genes(["7124", "11", "12", "13", "999999999"])
    assert (tnf.name, tnf.symbol, tnf.synonyms) == ("name of TNF", "TNF", ("TNF1", "TNF2", "one", "two"))
    assert (tnf.taxon, tnf.withdrawn) == (9606, False)
    assert (merged.withdrawn, merged.successors) == (True, ("7124",))
    assert (gone.exists, gone.withdrawn, gone.successors) == (True, True, ())
    assert (unsure.exists, never.exists) == (None, False)
    (asked,) = held.asked
    assert "email=site%40example.org" in asked
    assert "api_key=key" in asked


def test_it_asks_for_organisms(held):
    aka = "<AkaTaxIds><TaxId>12</TaxId></AkaTaxIds>"
    held.taxa["10090"] = held.taxa["12"] = (
        f"<Taxon><TaxId>10090</TaxId><ScientificName>Mus musculus</ScientificName><OtherNames>"
        f"<GenbankCommonName>house mouse</GenbankCommonName></OtherNames>{aka}</Taxon>"
    )
    mouse, merged, never = eutils(held).look_up_organisms(["10090", "12", "999999999"])
    assert (mouse.name, mouse.symbol, mouse.synonyms) == ("Mus musculus", "M. musculus", ("house mouse",))
    assert (merged.name, merged.withdrawn, merged.successors) == ("Mus musculus", True, ("10090",))
    assert never.exists is False


def test_it_understands_that_no_organism_is_known(held):
    held.troubles = [Answer(400, b"<eFetchResult><ERROR>ID list is empty! Possibly it has no correct IDs.</ERROR>")]
    assert eutils(held).look_up_organisms(["999999999"])[0].exists is False


def test_it_reads_real_organisms(held):
    held.troubles = [Answer(200, require_shared_path("samples", "eutils", "taxonomy.xml").read_bytes())]
    dog, cat = eutils(held).look_up_organisms(["9615", "9685"])
    assert (dog.name, cat.name) == ("Canis lupus familiaris", "Felis catus")
    assert {"dog", "dogs", "Canis familiaris"} <= set(dog.synonyms)
    assert len(held.asked) == 1


def test_it_takes_the_ontology_as_a_whole(held):
    held.ontology = gzip.decompress(require_shared_path("ontology", "psi-mi.obo.gz").read_bytes())
    terms = {
        term.identifier: term
        for term in OntologyClient(door(), held.url + "psi-mi.obo").look_up_terms(["MI:0018", "MI:9999"])
    }
    assert terms["MI:0018"].name == "two hybrid"
    assert terms["MI:9999"].exists is False
    assert len(terms) > 1600


TROUBLES = {
    "rate limit": Answer(429, b"", {"Retry-After": "0"}),
    "broken": Answer(500, b""),
    "gateway": Answer(502, HTML),
    "page": Answer(200, HTML),
    "truncated": Answer(200, b'{"results": [{"entryType"' + b" " * 100, cut=True),
    "half a document": Answer(200, b'{"results": [{"primaryAccession": "P0'),
    "half of XML": Answer(200, b"<TaxaSet><Taxon><TaxId>10090</TaxId>"),
    "error inside": Answer(200, b"<eSummaryResult><ERROR>Neither query_key nor id specified</ERROR></eSummaryResult>"),
    "not what was asked for": Answer(200, b"[]"),
    "entities": Answer(200, b'<!DOCTYPE a [<!ENTITY b "c">]><TaxaSet>&b;</TaxaSet>x'),
}


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
def test_it_asks_once_more_when_there_is_trouble(held, trouble):
    held.proteins = {"P04637": protein("P04637")}
    held.genes = {"7124": gene("7124", "TNF")}
    held.ontology = b"format-version: 1.2\n\n[Term]\nid: MI:0001\nname: method\n"
    for ask in (
        lambda: uniprot(held).look_up_entries(["P04637"]),
        lambda: eutils(held).look_up_genes(["7124"]),
        lambda: eutils(held).look_up_organisms(["9606"]),
        lambda: OntologyClient(door(), held.url + "psi-mi.obo").look_up_terms(["MI:0001"]),
    ):
        held.troubles = [trouble]
        held.asked.clear()
        assert len(ask()) == 1
        assert len(held.asked) == 2


def test_it_asks_once_more_when_no_answer_comes_in_time(held):
    held.proteins = {"P04637": protein("P04637")}
    held.troubles = [Answer(200, b"{}", silent=True)]
    assert len(uniprot(held, timeout=3.0).look_up_entries(["P04637"])) == 1
    assert len(held.asked) == 2


def test_it_gives_up_in_one_sentence(held):
    held.troubles = [Answer(200, HTML)] * 2
    with pytest.raises(
        ServiceUnavailableError, match=r"^UniProt returned no usable answer \(the answer is not JSON\)\.$"
    ):
        uniprot(held).look_up_entries(["P04637"])


def test_it_does_not_insist_when_it_is_told_to_wait(held):
    held.troubles = [Answer(429, b"", {"Retry-After": "120"})]
    with pytest.raises(ServiceUnavailableError) as caught:
        uniprot(held).look_up_entries(["P04637"])
    assert caught.value.retry_after == 120
    assert len(held.asked) == 1


def test_it_is_not_misled_by_an_answer_of_another_shape(held):
    for results in (None, {}, [1, None, [], {"primaryAccession": 7}, {"primaryAccession": "no accession"}]):
        held.troubles = [Answer(200, json.dumps({"results": results}).encode())]
        if isinstance(results, list):
            assert uniprot(held).look_up_entries(["P04637"])[0].exists is False
        else:
            with pytest.raises(ServiceUnavailableError, match="it has no list of results"):
                uniprot(held).look_up_entries(["P04637"])
    odd = {"primaryAccession": "P04637", "genes": "TP53", "organism": [], "proteinDescription": {"recommendedName": 1}}
    held.proteins = {"P04637": {**odd, "entryType": "x"}}
    assert uniprot(held).look_up_entries(["P04637"])[0].name == ""


def test_it_keeps_to_the_limit_of_requests(held):
    patient = uniprot(held, per_second=20)
    began = time.monotonic()
    patient.look_up_entries([f"Q1000{number}" for number in range(5)])
    assert len(held.asked) == 6
    assert time.monotonic() - began >= 5 / 20


def test_it_does_not_ask_a_name_that_is_not_there_twice():
    nowhere = UniProtClient(
        RegistryClient("UniProt", 10, networks=LOOPBACK, retry_delays=registry_client.RETRY_DELAYS),
        "http://registry.invalid/",
    )
    with pytest.raises(ServiceUnavailableError, match=r"^UniProt cannot be reached \("):
        nowhere.look_up_entries(["P04637"])
