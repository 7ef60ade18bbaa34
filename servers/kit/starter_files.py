"""Annotation servers to begin with: single files of each language's standard library, to be copied and changed."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("starters")
# What participants of challenges use the API with; it is to be copied, too.
CLIENT = Path(__file__).with_name("bcms.py")


@dataclass(frozen=True, slots=True)
class Starter:
    """One file; interpreter is the program that runs it, as `INTERPRETER FILE PORT`."""

    name: str
    protocol: str
    language: str
    interpreter: str

    @property
    def path(self) -> Path:
        return FOLDER / self.name


STARTERS = (
    Starter("xmlrpc_server.py", "bcms", "Python", "python3"),
    Starter("xmlrpc_server.mjs", "bcms", "JavaScript (Node.js)", "node"),
    Starter("xmlrpc_server.pl", "bcms", "Perl", "perl"),
    Starter("XmlRpcServer.java", "bcms", "Java", "java"),
    Starter("rest_server.py", "rest", "Python", "python3"),
    Starter("rest_server.mjs", "rest", "JavaScript (Node.js)", "node"),
    Starter("rest_server.pl", "rest", "Perl", "perl"),
    Starter("RestServer.java", "rest", "Java", "java"),
    Starter("rest_server.rb", "rest", "Ruby", "ruby"),
)
