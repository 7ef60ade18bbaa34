"""Starter annotation servers to copy and change, each a single file that uses only its language's standard library."""

from dataclasses import dataclass
from pathlib import Path

STARTER_FOLDER = Path(__file__).with_name("starters")
# The API client for participants, also a single file to copy.
CLIENT_FILE = Path(__file__).with_name("bcms.py")


@dataclass(frozen=True, slots=True)
class Starter:
    """One starter server; interpreter is the program that runs it, as `INTERPRETER FILE PORT`.

    takes_several: whether it answers several articles in one request. asks_model: whether it recognizes nothing by
    itself but asks the language model that the environment names.
    """

    name: str
    protocol: str
    language: str
    interpreter: str
    takes_several: bool = False
    asks_model: bool = False

    @property
    def path(self) -> Path:
        return STARTER_FOLDER / self.name


STARTERS = (
    Starter("xmlrpc_server.py", "bcms", "Python", "python3"),
    Starter("xmlrpc_server.mjs", "bcms", "JavaScript (Node.js)", "node"),
    Starter("xmlrpc_server.pl", "bcms", "Perl", "perl"),
    Starter("XmlRpcServer.java", "bcms", "Java", "java"),
    Starter("rest_server.py", "rest", "Python", "python3", takes_several=True),
    Starter("rest_server.mjs", "rest", "JavaScript (Node.js)", "node", takes_several=True),
    Starter("rest_server.pl", "rest", "Perl", "perl", takes_several=True),
    Starter("RestServer.java", "rest", "Java", "java"),
    Starter("rest_server.rb", "rest", "Ruby", "ruby"),
    Starter("model_server.py", "rest", "Python", "python3", takes_several=True, asks_model=True),
)
