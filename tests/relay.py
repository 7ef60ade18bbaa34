"""A relay on loopback in front of a service, which can stop as a machine does: bytes are taken, and nothing answers."""

import contextlib
import socket
import threading

LOOPBACK = "127.0.0.1"


class Relay:
    """Passes the bytes of every connection on in both directions while it is neither paused nor closed."""

    def __init__(self, host: str, port: int) -> None:
        self.target = (host, port)
        self.running = threading.Event()
        self.running.set()
        self.listening = socket.create_server((LOOPBACK, 0))
        self.port = self.listening.getsockname()[1]
        self.connections: list[socket.socket] = []
        self.passing: list[threading.Thread] = []
        self.accepting = threading.Thread(target=self._accept, daemon=True)
        self.accepting.start()

    def pause(self) -> None:
        self.running.clear()

    def resume(self) -> None:
        self.running.set()

    def close(self) -> None:
        """Break every connection, and refuse new ones."""
        _shut_down([self.listening, *self.connections])
        self.running.set()
        # The threads end first: they would use sockets that are opened later with the same numbers.
        self.accepting.join()
        _shut_down(self.connections)
        for thread in self.passing:
            thread.join()
        for each in [self.listening, *self.connections]:
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                self.running.wait()
                try:
                    service = socket.create_connection(self.target)
                except OSError:
                    # The service is away, and says so.
                    client.close()
                    continue
                self.connections += [client, service]
                for source, sink in ((client, service), (service, client)):
                    self.passing.append(threading.Thread(target=self._pass_on, args=(source, sink), daemon=True))
                    self.passing[-1].start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self.running.wait()
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)


def _shut_down(sockets: list[socket.socket]) -> None:
    for each in sockets:
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
