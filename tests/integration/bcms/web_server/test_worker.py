"""The web worker: slow clients cost no thread, long answers wait for their reader, and a stop loses no request."""

import http.client
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

import psutil
import pytest
from django.conf import settings

from bcms.local import ports

APPLICATION = "tests.integration.bcms.web_server.small_application:application"
THREADS = 2
HAND_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[2], sys.argv[2:])
"""
BEGINNINGS = {
    "headers": b"GET / HTTP/1.1\r\nHost: loc",
    "body": b"POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\na=",
    "chunked body": b"POST /body HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    "nothing": b"",
}


class RunningServer:
    """listening: a socket that somebody else keeps open, as systemd hands it over."""

    def __init__(self, listening=None):
        (self.port,) = [listening.getsockname()[1]] if listening else ports.pick_free_ports(1)
        worker = ["--worker-class", "bcms.web_server.worker.BufferingWorker", "--threads", str(THREADS), "--preload"]
        bind = ["--bind", f"127.0.0.1:{self.port}", "--graceful-timeout", "5", "--no-control-socket"]
        command = [sys.executable, "-m", "gunicorn", APPLICATION, *worker, *bind]
        fds = [listening.fileno()] if listening else []
        if listening:
            command = [sys.executable, "-c", HAND_OVER, str(listening.fileno()), *command]
        self.process = subprocess.Popen(command, cwd=settings.BASE_DIR, stderr=subprocess.DEVNULL, pass_fds=fds)
        deadline = time.monotonic() + 60
        while not ports.is_port_listening(self.port):
            assert time.monotonic() < deadline, "the server does not listen"
            time.sleep(0.05)
        # gunicorn listens before its worker process exists: an answer shows that the worker takes signals, too.
        assert self.get("/") == b"ok"

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def get(self, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST" if body is not None else "GET", path, body, headers)
            return connection.getresponse().read()
        finally:
            connection.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


@pytest.fixture(scope="module")
def server():
    running = RunningServer()
    yield running
    running.stop()


@pytest.mark.parametrize("beginning", BEGINNINGS.values(), ids=BEGINNINGS)
def test_it_answers_others_while_clients_send_slowly(server, beginning):
    with ExitStack() as stack:
        for _ in range(10 * THREADS):
            stack.enter_context(server.connect()).sendall(beginning)
        assert [server.get("/") for _ in range(5)] == [b"ok"] * 5


@pytest.mark.parametrize("body", [b"a" * 300_000, iter([b"a" * 200_000, b"b" * 100_000])], ids=["whole", "chunked"])
def test_it_hands_over_a_body_when_it_has_arrived(server, body):
    assert server.get("/body", body) == b"300000"


def test_the_connection_stays_open_after_an_answer_without_a_body(server):
    with server.connect() as client:
        for _ in range(2):
            client.sendall(b"GET /unchanged HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert client.recv(1000).startswith(b"HTTP/1.1 304 ")
        client.sendall(b"GET /unchanged HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert b"Connection: close" in client.recv(1000)
        assert client.recv(1000) == b""


def test_it_takes_of_a_long_answer_what_the_client_reads(server):
    with server.connect() as client:
        client.sendall(b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.recv(1000)
        before, now = None, int(server.get("/written"))
        while now != before:
            time.sleep(0.2)
            before, now = now, int(server.get("/written"))
    # Two buffers of the system's and one of the worker's, each a few megabytes at most.
    assert 0 < now < 200


def test_it_finishes_a_request_when_it_is_stopped():
    server, answers = RunningServer(), []
    request = threading.Thread(target=lambda: answers.append(server.get("/slow")))
    request.start()
    while server.get("/began") != b"1":
        pass
    assert server.stop() == 0
    request.join()
    assert answers == [b"ok"]


def test_it_answers_all_who_had_connected_when_it_is_stopped():
    server = RunningServer()
    (worker,) = psutil.Process(server.process.pid).children()
    worker.suspend()
    with ExitStack() as stack:
        clients = [stack.enter_context(server.connect()) for _ in range(10)]
        server.process.terminate()
        worker.terminate()
        worker.resume()
        for client in clients:
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert all(client.makefile("rb").read().endswith(b"ok") for client in clients)
    assert server.process.wait(30) == 0


def test_clients_wait_for_the_next_server_if_its_socket_stays_open():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = RunningServer(listening)
        assert server.get("/") == b"ok"
        assert server.stop() == 0
        with server.connect() as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            following = RunningServer(listening)
            assert client.makefile("rb").read().endswith(b"ok")
        following.stop()
