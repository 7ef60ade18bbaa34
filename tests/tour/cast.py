"""What the pictures of the tour show: a made-up article that four servers annotate, a challenge, and a trial."""

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User

from annotations.articles.models import Article
from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, EntityId, Kind
from evaluation import tasks
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.teams.models import Team
from tests.acceptance.whole_site import make_site_challenge, make_site_runs, make_trials

PMID = 30000002
TITLE = "CDH1 keeps CTNNB1 at the membrane of epithelial cells that resist TNF"
ABSTRACT = (
    "Epithelial cells that lose their contacts often stop to respond to tumor necrosis factor (TNF). We asked whether "
    "E-cadherin (CDH1) takes part in this. In a two-hybrid screen, the tail of CDH1 bound beta-catenin (CTNNB1), and "
    "antibodies against EGFR brought down both proteins from lysates of human MCF-7 cells. Knock-down of CDH1 set "
    "CTNNB1 free, which entered the nucleus and raised MYC and cyclin D1. TNF then no longer activated NF-kappa-B. "
    "Curcumin restored the complex in mice with colitis, while aspirin had no effect. A mutant of CTNNB1 that cannot "
    "bind CDH1 did not rescue the cells. We propose that EGFR, CDH1 and beta-catenin form one complex, and that its "
    "loss is an early step on the way from colitis to carcinoma."
)
# By type: what stands in the text, and the identifier that servers link to it.
NAMES = {
    "gene": {
        **dict.fromkeys(("CDH1", "E-cadherin"), "P12830"),
        **dict.fromkeys(("CTNNB1", "beta-catenin"), "P35222"),
        **dict.fromkeys(("TNF", "tumor necrosis factor"), "P01375"),
        **{"EGFR": "P00533", "MYC": "P01106", "cyclin D1": "P24385", "NF-kappa-B": "P19838"},
    },
    "chemical": {"Curcumin": "D003474", "aspirin": "D001241"},
    "disease": {"colitis": "D003092", "carcinoma": "D002277"},
}
DATABASES = {"gene": "uniprot", "chemical": "mesh", "disease": "mesh"}
GENES = {
    "P12830": ("CDH1", "Cadherin-1", ["E-cadherin"], "Cell membrane"),
    "P35222": ("CTNNB1", "Catenin beta-1", ["beta-catenin"], "Cytoplasm, nucleus, cell junction"),
    "P01375": ("TNF", "Tumor necrosis factor", ["TNF-alpha"], "Cell membrane, secreted"),
    "P00533": ("EGFR", "Epidermal growth factor receptor", ["HER1"], "Cell membrane"),
    "P01106": ("MYC", "Myc proto-oncogene protein", ["c-Myc"], "Nucleus"),
    "P24385": ("CCND1", "G1/S-specific cyclin-D1", ["cyclin D1"], "Nucleus"),
    "P19838": ("NFKB1", "Nuclear factor NF-kappa-B p105 subunit", ["NF-kappa-B"], "Nucleus"),
}
TERMS = {
    "D003474": ("mesh", "Curcumin"),
    "D001241": ("mesh", "Aspirin"),
    "D003092": ("mesh", "Colitis"),
    "D002277": ("mesh", "Carcinoma"),
    "9606": ("ncbitaxon", "Homo sapiens"),
}
# Each server: the types that it marks, every which name it overlooks (0: none), and its confidence.
SERVERS = {
    "Gene dictionary": (("gene",), 0, 0.8),
    "Genes by context": (("gene",), 3, 0.9),
    "Entities by model": (("gene", "chemical", "disease"), 4, 0.7),
    "MeSH labels": (("chemical", "disease"), 0, 0.6),
}


def make_toured_site(team: Team, alice: User, olga: User) -> int:
    """The number of the trial of alice's next server; the article has PMID, the challenge the name "example"."""
    make_entries()
    article = make_article()
    for name, (types, overlooked, confidence) in SERVERS.items():
        annotate(article, make_server(team, name), list(types), overlooked, confidence)
    challenge = make_site_challenge(olga)
    training = challenge.phases.get(sort="training")
    make_site_runs(team, training)
    tasks.score_due_runs_after_cleaning_unless_busy()
    tasks.rank_stale_boards_unless_busy()
    publish_phase_or_request_if_sealed(training)
    EmailAddress.objects.get_or_create(user=alice, email=alice.email, verified=True, primary=True)
    return make_trials(team, alice)[0]


def make_entries() -> None:
    for identifier, (symbol, name, synonyms, location) in GENES.items():
        names = {"symbol": symbol, "name": name, "synonyms": synonyms, "location": location, "taxon": 9606}
        Entry.objects.create(database="uniprot", identifier=identifier, exists=True, **names)
    for identifier, (database, name) in TERMS.items():
        Entry.objects.create(database=database, identifier=identifier, exists=True, name=name)


def make_article() -> Article:
    passages = [{"type": "title", "text": TITLE}, {"type": "abstract", "text": ABSTRACT}]
    return Article.objects.create(
        pmid=PMID,
        passages=passages,
        text=f"{TITLE}\n{ABSTRACT}",
        content_hash="3" * 64,
        journal="Journal of Examples",
        year=2026,
    )


def make_server(team: Team, name: str) -> Server:
    return Server.objects.create(
        review="accepted",
        team=team,
        name=name,
        slug=name.lower().replace(" ", "-"),
        url="http://127.0.0.1:9/",
        kinds=["mention", "normalization"],
        state=ServerState.ONLINE,
    )


def annotate(article: Article, server: Server, types: list[str], overlooked: int, confidence: float) -> None:
    mentions = [
        AnnotationData(
            Kind.MENTION,
            confidence,
            start=place,
            end=place + len(name),
            text=name,
            type=kind,
            identifiers=(EntityId(DATABASES[kind], identifier),),
        )
        for kind in types
        for number, (name, identifier) in enumerate(NAMES[kind].items(), 1)
        for place in find_places(article.text, name)
        if not overlooked or number % overlooked
    ]
    reported = dict.fromkeys(each.identifiers[0] for each in mentions if each.type == "gene")
    genes = [AnnotationData(Kind.NORMALIZATION, confidence, database=db, identifier=name) for db, name in reported]
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    found = {Kind.MENTION: mentions} | ({Kind.NORMALIZATION: genes} if "gene" in types else {})
    store_results_superseding_earlier(article, queue.producer, found, duration_seconds=confidence, reply_body=b"{}")


def find_places(text: str, name: str) -> list[int]:
    return [place for place in range(len(text)) if text.startswith(name, place)]
