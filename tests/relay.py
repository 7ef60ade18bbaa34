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
        threading.Thread(target=self._accept, daemon=True).start()

    def pause(self) -> None:
        self.running.clear()

    def resume(self) -> None:
        self.running.set()

    def close(self) -> None:
        """Break every connection, and refuse new ones."""
        for each in [self.listening, *self.connections]:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self.running.set()

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
                    threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self.running.wait()
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)
