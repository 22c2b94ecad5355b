"""The live page: who may ask for it, what it answers, and that it grows with its file."""

import json
import socket
import struct
from http.client import HTTPConnection
from urllib.parse import urlsplit

import numpy as np
import pytest
from catalogue import build

import flexnet as fx
from flexnet.view import live
from flexnet.view.live import LivePage


def ask(page: LivePage, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    """Status and body of an answer."""
    connection = HTTPConnection("127.0.0.1", urlsplit(page.address).port, timeout=5)
    connection.request(method, path, headers={name.replace("_", "-"): text for name, text in headers.items()})
    answer = connection.getresponse()
    return answer.status, answer.read()


@pytest.fixture
def running(tmp_path, monkeypatch):
    """A page and its file, of a run that has just finished."""
    monkeypatch.setattr(live, "PATIENCE", 0.1)
    path = tmp_path / "run.h5"
    with LivePage(path) as page:
        assert b"begins" in ask(page, urlsplit(page.address).path)[1]
        counts = []

        def progress(*news):
            page.refresh()
            page._next = 0.0
            status, news = ask(page, f"{urlsplit(page.address).path}data")
            counts.append(json.loads(news)["told"]["model"]["rows"] if status == 200 else 0)

        fx.simulate(build("simple_pendulum"), 0.5, 1e-3, interval=1e-2, out=path, progress=progress)
        assert counts == sorted(counts)
        page._make()
        yield page


def test_the_page_and_its_rows_are_given_to_who_has_the_token(running: LivePage) -> None:
    path = urlsplit(running.address).path
    assert urlsplit(running.address).hostname == "127.0.0.1"
    status, text = ask(running, path)
    assert status == 200
    assert b'data-live="' + path.encode() in text
    assert b"connect-src &#x27;self&#x27;" in text
    status, news = ask(running, f"{path}data?rows=3&status=running")
    assert (status, json.loads(news)["told"]["model"]["status"]) == (200, "finished")
    rows = json.loads(news)["told"]["model"]["rows"]
    assert ask(running, f"{path}data?rows={rows}&status=finished") == (204, b"")
    assert ask(running, f"{path}else")[0] == 404
    assert not running.is_stopped
    assert ask(running, f"{path}stop", "POST")[0] == 204
    assert running.is_stopped


def test_everybody_else_is_refused(running: LivePage) -> None:
    path = urlsplit(running.address).path
    port = urlsplit(running.address).port
    for where in ("/", "/data", "/x" + path, path[:-3] + "/", "//", path.upper(), "/%00/"):
        assert ask(running, where)[0] == 403, where
    for headers in (
        {"Origin": "http://example.com"},
        {"Origin": "null"},
        {"Origin": f"https://127.0.0.1:{port}"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Host": f"example.com:{port}"},
        {"Host": "127.0.0.1"},
    ):
        for method, what in (("GET", path), ("GET", f"{path}data"), ("POST", f"{path}stop")):
            assert ask(running, what, method, **headers) == (403, b""), headers
    assert not running.is_stopped
    own = f"http://127.0.0.1:{port}"
    assert ask(running, path, Origin=own, Sec_Fetch_Site="same-origin")[0] == 200


NONSENSE = (
    b"GET http://[ HTTP/1.1\r\n\r\n",
    b"GET\r\n\r\n",
    b"\x00\xff\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET /" + b"x" * 70000 + b" HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n",
    b"PUT / HTTP/1.1\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n",
    b"GET /%ff%00 HTTP/1.0",
    b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\nOrigin: \xff\r\n\r\n",
    b"",
)


def send(page: LivePage, raw: bytes, *, waits: bool = True) -> bytes:
    """What is answered to some bytes, or nothing where nobody waits for it."""
    with socket.create_connection(("127.0.0.1", urlsplit(page.address).port or 0), timeout=5) as connection:
        connection.sendall(raw)
        if waits:
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(1 << 16)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return b""


def test_nonsense_is_answered_or_dropped_and_the_terminal_stays_quiet(
    running: LivePage, capfd: pytest.CaptureFixture[str]
) -> None:
    path, host = urlsplit(running.address).path, running.origin.removeprefix("http://")
    for raw in NONSENSE:
        said = send(running, raw)
        assert not said or said.startswith((b"HTTP/1.0 4", b"HTTP/1.0 5", b"<!DOCTYPE")), raw[:40]
        assert path.encode() not in said
    send(running, f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode(), waits=False)
    assert ask(running, path)[0] == 200
    assert not running.is_stopped
    assert capfd.readouterr().err == ""


def test_who_says_nothing_is_not_waited_for_without_end() -> None:
    assert 0.0 < live._Handler.timeout <= 10.0


def test_a_token_is_long_and_new_every_time(tmp_path) -> None:
    tokens = set()
    for _ in range(5):
        with LivePage(tmp_path / "none.h5") as page:
            tokens.add(urlsplit(page.address).path.strip("/"))
    assert len(tokens) == 5
    assert np.min([len(token) for token in tokens]) >= 32
