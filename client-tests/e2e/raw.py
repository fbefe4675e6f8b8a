"""A client that is nothing but a socket, a server that is watched from outside, and a scenario played to both."""

import os
import pathlib
import re
import resource
import socket
import ssl
import struct
import tempfile
import time
import urllib.parse

from apis import records
from served import Served

MOST_RSS = 64 * 1024  # KiB


def request(method, target, body=b"", fields=(), version="HTTP/1.1", host="x"):
    """A right request, as bytes; texts are taken as UTF-8, bytes as they are."""
    lines = [join(method, " ", target, " ", version)]
    lines += [join("Host: ", host)] if host is not None else []
    lines += [join(name, ": ", value) for name, value in fields]
    if body:
        lines += [b"Content-Type: application/json", join("Content-Length: ", str(len(body)))]
    return b"\r\n".join(lines) + b"\r\n\r\n" + join(body)


def join(*parts):
    return b"".join(part if isinstance(part, bytes) else part.encode() for part in parts)


class Answer:
    def __init__(self, raw):
        self.raw = raw
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        found = re.match(r"HTTP/1\.1 (\d{3}) ", lines[0])
        self.status = int(found.group(1)) if found else 0
        self.fields = [line.partition(": ")[::2] for line in lines[1:]]

    def all(self, name):
        return [value for field, value in self.fields if field.lower() == name.lower()]

    def field(self, name):
        return next(iter(self.all(name)), None)

    def is_bodiless(self, method):
        return method == "HEAD" or self.status < 200 or self.status in (204, 304)


class RawClient:
    """What came, when it came, and how the connection ended: open, fin, reset, or broken by TLS. Every wait has a
    deadline."""

    def __init__(self, url, patience=20, tls=False, receive_buffer=0):
        self.patience = patience
        self.received = b""
        self.pieces = []  # (instant, bytes)
        self.end = "open"
        self.was_reset = False
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(patience)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            place = urllib.parse.urlsplit(url if "//" in url else "//" + url)
            self.socket.connect((place.hostname, place.port))
            self.socket = TlsSocket(self.socket) if tls else self.socket
        except OSError:
            self.socket.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, bytes_):
        """As much of it as goes before the connection ends. Who meets a RST in sending can still read what had come
        before it, and then finds an end that looks like a FIN."""
        try:
            self.socket.sendall(bytes_)
        except OSError as error:
            self.was_reset = not isinstance(error, TimeoutError)

    def send_fin(self):
        self.socket.shutdown(socket.SHUT_WR)

    def close(self):
        self.socket.close()

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def meet(self, error):
        if not isinstance(error, TimeoutError):
            self.end = "broken" if isinstance(error, ssl.SSLError) else "reset"

    def receive_some(self, deadline):
        left = deadline - time.monotonic()
        if self.end != "open" or left <= 0:
            return False
        self.socket.settimeout(left)
        try:
            piece = self.socket.recv(1 << 18)
        except OSError as error:
            self.meet(error)
            return False
        finally:
            self.socket.settimeout(self.patience)
        if not piece:
            self.end = "reset" if self.was_reset else "fin"
            return False
        self.pieces.append((time.monotonic(), piece))
        self.received += piece
        return True

    def receive_while(self, wanted, seconds=None):
        deadline = time.monotonic() + (self.patience if seconds is None else seconds)
        while wanted(self.received) and self.receive_some(deadline):
            pass
        return self.received

    def receive_until(self, text):
        return self.receive_while(lambda received: text not in received)

    def receive_bytes(self, count):
        return self.receive_while(lambda received: len(received) < count)

    def receive_to_end(self):
        return self.receive_while(lambda received: True)

    def receive_for(self, seconds):
        """The way to see silence."""
        return self.receive_while(lambda received: True, seconds)

    def answer(self, method="GET"):
        """The next answer by its own framing, and no byte of what stands behind it; status 0 where none came."""
        self.receive_until(b"\r\n\r\n")
        begun = Answer(self.received)
        head = self.received.find(b"\r\n\r\n") + 4
        if begun.status == 0 or head < 4:
            return Answer(self.take(len(self.received)))
        if begun.is_bodiless(method):
            return Answer(self.take(head))
        if begun.field("Transfer-Encoding"):
            self.receive_until(b"\r\n0\r\n\r\n")
            return Answer(self.take(self.received.find(b"\r\n0\r\n\r\n") + 7))
        if begun.field("Content-Length") is None:
            return Answer(self.take(len(self.receive_to_end())))
        whole = head + int(begun.field("Content-Length"))
        self.receive_bytes(whole)
        return Answer(self.take(whole))

    def take(self, count):
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def ask(self, method, target, body=b"", **how):
        self.send(request(method, target, body, **how))
        return self.answer(method)


def hello():
    """A client's first flight."""
    sent = ssl.MemoryBIO()
    try:
        who_looks_at_nothing().wrap_bio(ssl.MemoryBIO(), sent, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        return sent.read()


class TlsSocket:
    """TLS over a socket whose own errors are seen: the ssl module's takes a RST for an end of the stream."""

    def __init__(self, plain):
        self.plain = plain
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = who_looks_at_nothing().wrap_bio(self.incoming, self.outgoing)
        self.settimeout, self.setsockopt, self.shutdown, self.close = plain.settimeout, plain.setsockopt, plain.shutdown, plain.close
        if self.run(self.tls.do_handshake) == b"":
            raise ConnectionAbortedError("the end came in the handshake")

    def run(self, call, *arguments):
        """b"" where the other end has said its last."""
        while True:
            try:
                done = call(*arguments)
                self.flush()
                return done
            except ssl.SSLWantReadError:
                self.flush()
                piece = self.plain.recv(1 << 16)
                if not piece:
                    return b""
                self.incoming.write(piece)
            except ssl.SSLZeroReturnError:
                return b""

    def flush(self):
        # Not an empty send: it would fetch the error of a RST ahead of the bytes that came before it.
        if self.outgoing.pending:
            self.plain.sendall(self.outgoing.read())

    def sendall(self, bytes_):
        self.run(self.tls.write, bytes_)

    def recv(self, count):
        return self.run(self.tls.read, count)


def who_looks_at_nothing():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def wait_for(condition, seconds=30):
    """Whether it came true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def allow_many_descriptors():
    """As many as this machine lets us have; a server that is started then has them as well."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def memory(pid, what="VmHWM"):
    """KiB; VmHWM is the most there ever was, VmRSS what there is now."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(what + r":\s+(\d+) kB", status).group(1))


class Played(Served):
    """A scenario of one's own behind a socket of one's own."""

    def play(self, rules="", api="any", seed=7):
        """The url. The exchanges told go to a file: a pipe that nobody reads would fill up."""
        faults = "faults:\n" + rules if rules.strip() else ""
        scenario = self.write("case.yaml", f"mishap: 1\nscenario: case\napi: {api}\n{faults}")
        if hasattr(self, "process"):
            self.close()
        self.told = open(self.path("told.txt"), "w+", encoding="utf-8")
        self.addCleanup(self.told.close)
        self.run_folder = tempfile.mkdtemp(prefix="run-", dir=self.folder)
        urls = self.serve(scenario, "--judge", "--out", self.run_folder, "--seed", str(seed), stdout=self.told)
        self.assertIn("case", urls, self.process.communicate()[1] if not urls else urls)
        self.url = urls["case"]
        return self.url

    def client(self, **how):
        client = RawClient(self.url, tls=self.url.startswith("https:"), **how)
        self.addCleanup(client.close)
        return client

    def journal(self):
        """Ends the run; its records, by kind."""
        self.stop()
        kept = {"connection": [], "exchange": [], "effect": []}
        for record in records(self.run_folder, "case"):
            kept.get(record["kind"], []).append(record)
        return kept

    def next_request_is_clean(self, target="/clean"):
        with self.client() as client:
            answer = client.ask("GET", target)
        self.assertEqual(answer.status, 200, answer.raw[:300])
