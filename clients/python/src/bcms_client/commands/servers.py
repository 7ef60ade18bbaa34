"""bcms servers and bcms queues."""

from argparse import Namespace
from itertools import islice

from bcms_client.client import Client
from bcms_client.commands.arguments import Verbs, add_noun, add_verb
from bcms_client.commands.output import print_record, print_rows, print_sentence
from bcms_client.errors import PermissionDeniedError
from bcms_client.operations.servers import CALL_STATES, QUEUE_ACTIONS

SERVERS = {
    "SERVER": lambda server: server.slug,
    "NAME": lambda server: server.name,
    "TEAM": lambda server: server.team.slug,
    "STATE": lambda server: server.state,
    "REVIEW": lambda server: server.review,
    "WAITING": lambda server: server.live and server.live.waiting,
    "FAILED": lambda server: server.live and server.live.failed,
}
SERVER = {
    **SERVERS,
    "SINCE": lambda server: server.state_since,
    "KINDS": lambda server: server.kinds,
    "PROTOCOL": lambda server: server.protocol,
    "URL": lambda server: server.inside and server.inside.url,
    "REASON": lambda server: server.inside and server.inside.state_reason,
    "DESCRIPTION": lambda server: server.description,
}
WINDOWS = {
    "WINDOW": lambda window: window.window,
    "AVAILABILITY": lambda window: window.availability,
    "SUCCESS": lambda window: window.success_rate,
    "P50 S": lambda window: window.p50,
    "P95 S": lambda window: window.p95,
    "ATTEMPTS": lambda window: window.attempts,
    "FAILURES": lambda window: window.failures,
    "DOWN NOW": lambda window: window.down_now,
}
QUEUES = {
    "QUEUE": lambda queue: queue.id,
    "NAME": lambda queue: queue.name,
    "MODE": lambda queue: queue.mode,
    "STATE": lambda queue: queue.state,
    "HELD": lambda queue: queue.held,
    "WAITING": lambda queue: queue.waiting,
    "ANSWERED": lambda queue: queue.answered,
    "EMPTY": lambda queue: queue.empty,
    "FAILED": lambda queue: queue.failed,
}
CALLS = {
    "CALL": lambda call: call.id,
    "ARTICLE": lambda call: call.article,
    "QUEUE": lambda call: call.queue,
    "STATE": lambda call: call.state,
    "TRIES": lambda call: call.tries,
    "CREATED": lambda call: call.created,
    "REASON": lambda call: call.reason,
}


def add_server_commands(nouns: Verbs) -> None:
    verbs = add_noun(nouns, "servers", "annotation servers")
    listing = add_verb(verbs, "list", _list_servers, "list accepted servers and those of your teams")
    listing.add_argument("--unreviewed", action="store_true", help="include servers that await their review")
    add_verb(verbs, "show", _show_server, "show one server", "server")
    add_verb(verbs, "status", _show_status, "show availability and response times", "server")
    add_verb(verbs, "start", _start_server, "send waiting articles to a server of your team", "server")
    stop = add_verb(verbs, "stop", _stop_server, "stop a server of your team after its current call", "server")
    stop.add_argument("--now", action="store_true", help="abort the current call; its article waits again")


def add_queue_commands(nouns: Verbs) -> None:
    verbs = add_noun(nouns, "queues", "queues of a server of your team")
    add_verb(verbs, "list", _list_queues, "list the queues of a server", "server")
    calls = add_verb(verbs, "calls", _list_calls, "list the calls of a server, newest first", "server")
    calls.add_argument("--state", choices=CALL_STATES)
    calls.add_argument("--most", type=int, default=50, help="how many (default: 50)")
    load = add_verb(verbs, "load", _load_articles, "add articles to the live queue", "server")
    source = load.add_mutually_exclusive_group(required=True)
    source.add_argument("--corpus", help="slug of a corpus")
    source.add_argument("--pmids", type=int, nargs="+")
    act = add_verb(verbs, "act", _act_on_queue, "retry, skip, rerun or remove articles of a queue", "server", "queue")
    act.add_argument("action", choices=QUEUE_ACTIONS)


def _list_servers(client: Client, options: Namespace) -> None:
    print_rows(options, client.list_servers(unreviewed=options.unreviewed or None), SERVERS)


def _show_server(client: Client, options: Namespace) -> None:
    print_record(options, client.get_server(options.server), SERVER)


def _show_status(client: Client, options: Namespace) -> None:
    availability = client.get_availability(options.server)
    if options.json:
        print_record(options, availability, {})
        return
    print_rows(options, availability.windows, WINDOWS)


def _start_server(client: Client, options: Namespace) -> None:
    print_record(options, client.start_server(options.server), SERVER)


def _stop_server(client: Client, options: Namespace) -> None:
    print_record(options, client.stop_server(options.server, now=options.now), SERVER)


def _list_queues(client: Client, options: Namespace) -> None:
    inside = client.get_server(options.server).inside
    if inside is None:
        raise PermissionDeniedError(403, "Only members of the server's team see its queues.")
    print_rows(options, inside.queues, QUEUES)


def _list_calls(client: Client, options: Namespace) -> None:
    calls = client.list_calls(options.server, state=options.state)
    print_rows(options, islice(calls, max(options.most, 0)), CALLS)


def _load_articles(client: Client, options: Namespace) -> None:
    loaded = client.load_articles(options.server, corpus=options.corpus, pmids=options.pmids)
    sentence = f"Added to the queue: {loaded.added}; already waiting there: {loaded.waiting}."
    print_sentence(options, sentence, added=loaded.added, waiting=loaded.waiting)


def _act_on_queue(client: Client, options: Namespace) -> None:
    done = client.act_on_queue(options.server, options.queue, options.action).done
    print_sentence(options, done, done=done)
