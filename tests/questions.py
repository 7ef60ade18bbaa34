"""A question as a server is asked it: of the article of tests/conftest.py, or of another title and abstract."""

from annotations.schema import SEVEN_KINDS
from servers.protocols.annotation_requests import AnnotationRequest
from tests.conftest import ABSTRACT, TITLE
from tests.fakeserver import LOOPBACK


def question(protocol="bcms", *, title=TITLE, abstract=ABSTRACT, **values):
    fields = {
        "url": "http://127.0.0.1:9/",
        "method": "Annotator.getAnnotation" if protocol == "bcms" else "POST",
        "send": "struct",
        "kinds": SEVEN_KINDS,
        "time_limit": 20.0,
        "networks": LOOPBACK,
        "identifier": "10000001",
        "pmid": 10000001,
        "text": f"{title}\n{abstract}",
    }
    return AnnotationRequest(protocol=protocol, title=title, abstract=abstract, **(fields | values))
