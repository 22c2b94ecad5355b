"""The living report of a run that is under way, served to browsers of this machine alone.

The server listens on the loopback address, at a port the system chooses. Every address begins with a random
token; a request without it, for another host (a name that was made to point here), or from a page of another
origin is refused. There are three things to ask for: the page, the rows that came since, and the end of the
run. Pages are made by the thread that computes, between two blocks of rows: no other one touches the file.
"""

import json
import secrets
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

from flexnet.errors import FlexnetError
from flexnet.results import Results
from flexnet.view.numbers import Numbers
from flexnet.view.page import fill
from flexnet.view.page_data import Told, told_page

#: least time between two pages, s, and how many times as long as it took to make one
_OFTEN, _SHARE = 0.3, 2.0
#: how long the last rows wait for a page that looks on, s
PATIENCE = 30.0
_COMING = (
    b"<!DOCTYPE html><meta http-equiv=refresh content=1><title>flexnet</title><link rel=icon href=data:,>"
    b"<p>The run begins."
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class LivePage:
    """A page that follows a result file while it grows.

    Parameters
    ----------
    path : the result file.
    equations : sections of equations; see :func:`flexnet.view.write_page`.

    Attributes
    ----------
    address : of the page, with its token.
    is_stopped : whether the page has asked for the end of the run.
    """

    def __init__(self, path: str | Path, equations: Sequence[Told] = ()) -> None:
        self.path, self._equations = Path(path), equations
        self.is_stopped = False
        self._token = secrets.token_urlsafe(24)
        self._told: Told | None = None
        self._numbers, self._next = "", 0.0
        self._is_over, self._is_seen, self._is_asked = False, threading.Event(), False
        self._is_wanted = False
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def address(self) -> str:
        """Where a browser of this machine finds the page."""
        return f"{self.origin}/{self._token}/"

    def __enter__(self) -> "LivePage":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the last rows to a page that looks on, then close."""
        self._make()
        self._is_over = True  # from now on a page that lacks nothing has seen the end
        if self._is_asked and self._told is not None:
            self._is_seen.wait(PATIENCE)
        self._server.shutdown()
        self._server.server_close()

    def refresh(self) -> None:
        """Take the rows over that came, if it is time."""
        if self._told is None or (self._is_wanted and time.monotonic() >= self._next):
            self._make()

    def _make(self) -> None:
        began = time.monotonic()
        numbers = Numbers()
        try:
            graph = None if self._told is None else self._told["graph"]
            told = told_page([Results.open(self.path)], numbers, self._equations, graph=graph)
        except FlexnetError:
            return  # no row yet
        self._numbers, self._told, self._is_wanted = numbers.text(), told, False
        now = time.monotonic()
        self._next = now + max(_OFTEN, _SHARE * (now - began))

    # -- what is asked for, by other threads ----------------------------------------------------------

    def is_allowed(self, host: str | None, origin: str | None, site: str | None, token: str) -> bool:
        """Whether a request is one of our own page, or of a person who typed its address."""
        if host != self.origin.removeprefix("http://") or origin not in (None, self.origin):
            return False
        return site in (None, "none", "same-origin") and secrets.compare_digest(
            token.encode(), self._token.encode()
        )

    def page(self) -> bytes:
        """The page with the rows there are."""
        self._is_asked = self._is_wanted = True
        if self._told is None:
            return _COMING
        return fill(self._told, self._numbers, f"/{self._token}/").encode()

    def news(self, rows: int, status: str) -> bytes | None:
        """What a page that has so many rows lacks; None if nothing."""
        told, self._is_wanted = self._told, True
        if told is None:
            return None
        model = told["model"]
        assert isinstance(model, dict)
        if (model["rows"], model["status"]) == (rows, status):
            if self._is_over:
                self._is_seen.set()  # the page has the last rows
            return None
        return json.dumps({"told": told, "numbers": self._numbers}, allow_nan=False).encode()

    def stop(self) -> None:
        """Ask for the end of the run."""
        self.is_stopped = True


class _Server(ThreadingHTTPServer):
    """Knows the page it serves."""

    daemon_threads = True

    def __init__(self, live: LivePage) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.live = live

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: who asks wrongly or goes away is no matter of the run, and the terminal is the run's."""


class _Handler(BaseHTTPRequestHandler):
    """What answers requests."""

    #: how long a request may take to come, s
    timeout = 10.0

    @property
    def live(self) -> LivePage:
        """The page."""
        assert isinstance(self.server, _Server)
        return self.server.live

    def do_GET(self) -> None:
        """Give the page or rows."""
        what, asked = self._asked()
        if what == "":
            self._answer(200, self.live.page(), "text/html; charset=utf-8")
        elif what == "data":
            rows, status = asked.get("rows", ["0"])[0], asked.get("status", [""])[0]
            news = self.live.news(int(rows) if rows.isdecimal() and len(rows) < 16 else 0, status)
            self._answer(204 if news is None else 200, news or b"", "application/json")
        elif what is not None:
            self._answer(404)

    def do_POST(self) -> None:
        """Take the wish to stop."""
        what, _ = self._asked()
        if what == "stop":
            self.live.stop()
            self._answer(204)
        elif what is not None:
            self._answer(404)

    def _asked(self) -> tuple[str | None, dict[str, list[str]]]:
        """What comes after the token; None where the request was refused."""
        try:
            address = urlsplit(self.path)
        except ValueError:  # such as http://[
            self._answer(400)
            return None, {}
        _, token, *rest = [*address.path.split("/", 2), ""]
        head = self.headers
        if not self.live.is_allowed(head.get("Host"), head.get("Origin"), head.get("Sec-Fetch-Site"), token):
            self._answer(403)
            return None, {}
        return rest[0], parse_qs(address.query)

    def _answer(self, code: int, body: bytes = b"", kind: str = "text/plain") -> None:
        self.send_response(code)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: the terminal is the run's."""
