"""Variants on a Dask cluster: every one once, however workers come and go; a cluster that is left is said."""

import asyncio
import logging
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexnet as fx
from flexnet.studies import cluster
from flexnet.studies.job import Job, Row
from flexnet.studies.outputs import Output
from flexnet.studies.parcel import packed, unpacked
from flexnet.studies.plan import make_plan
from flexnet.studies.source import read_source

sys.path.insert(0, str(Path(__file__).parent))
from pendulum import MARKER, build, deadly

RUN = {"end": 0.2, "step": 0.01}
ADDRESS = "tcp://127.0.0.1:9"


class Answer:
    """A future that is finished when it is asked for."""

    def __init__(self, client: "Client", value: Any) -> None:
        self.client, self.status, self._value = client, "finished", value
        self.key = f"task {len(client.sizes)}"

    def add_done_callback(self, tell: Callable[[Any], None]) -> None:
        self.client.waiting.append((self, tell))

    def result(self, timeout: float) -> Any:
        return self._value

    def release(self) -> None:
        self.client.finished += 1


class Client:
    """A cluster within this process, which finishes whatever it has when it is asked for its workers.

    ``threads`` are those of its only worker; ``after`` is called with the number of finished tasks.
    """

    status = "running"

    def __init__(self, threads: int, seconds: float = 0.0, after: Callable[[int], None] = lambda n: None):
        self.threads, self.after = threads, after
        self.seconds = seconds
        self.most = self.finished = 0
        self.sizes: list[int] = []
        self.waiting: deque[tuple[Answer, Callable[[Answer], None]]] = deque()

    def nthreads(self) -> dict[str, int]:
        self.after(self.finished)
        while self.waiting:
            future, tell = self.waiting.popleft()
            tell(future)
        return {"tcp://worker": self.threads} if self.threads else {}

    def submit(self, function: Callable[..., Any], *given: Any, pure: bool) -> Any:
        if function is bytes:
            return given[0]
        rows = [Row(index, seconds=self.seconds) for index in given[2]]
        self.sizes.append(len(rows))
        self.most = max(self.most, len(self.sizes) - self.finished)
        return Answer(self, packed(rows))


def job(length: str = "0.5:2:4") -> Job:
    angle = (Output("angle", "channel", "angle"),)
    return Job(read_source(build, None), make_plan({"length": length}), angle, 0.2, 0.01)


@pytest.fixture
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "LOOK", 0.0)


@pytest.mark.usefixtures("_often")
def test_tasks_grow_to_a_second_and_shrink_to_a_tenth_and_hold_every_variant_once() -> None:
    client = Client(2, seconds=0.01)
    rows = cluster.Cluster(ADDRESS)._rows(client, job(), deque(range(1000)))
    assert sorted(row.index for row in rows) == list(range(1000))
    assert client.sizes[0] == 1
    assert max(client.sizes) == 100  # a second
    assert all(size >= 9 for size in client.sizes[4:-1])  # a tenth
    assert client.sizes[-3] < 20
    assert client.most == cluster.AHEAD * 2


@pytest.mark.usefixtures("_often")
def test_workers_that_come_later_have_as_much_to_do_as_the_first() -> None:
    def more(finished: int) -> None:
        client.threads = 1 if finished < 5 else 8

    client = Client(0, seconds=10.0, after=more)
    rows = cluster.Cluster(ADDRESS)._rows(client, job(), deque(range(50)))
    assert sorted(row.index for row in rows) == list(range(50))
    assert client.most == cluster.AHEAD * 8


def test_a_task_computes_what_this_process_computes() -> None:
    given = job()
    rows = unpacked(asyncio.run(cluster.work("a study", packed(given), [1, 3])))
    for row in rows:
        assert np.array_equal(row.values["angle"], given.row(row.index).values["angle"])
    assert [row.index for row in rows] == [1, 3]


@pytest.mark.usefixtures("_often")
def test_a_cluster_without_workers_is_waited_for_but_not_for_ever(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cluster, "DESERTED", 0.0)
    client = Client(0)
    with caplog.at_level(logging.WARNING):
        watch = cluster._Watch(client)
        for _ in range(3):  # none has come yet: a queue may take its time
            watch.look()
        assert caplog.messages == ["the cluster has no workers; waiting for some"]
        client.threads = 3
        watch.look()
        assert watch.threads == 3
        client.threads = 0
        watch.look()
        assert caplog.messages[1:] == [
            "the worker tcp://worker was lost; its variants are computed again",
            "the cluster has no workers; waiting for some",
        ]
        with pytest.raises(fx.FlexnetError, match="lost its last worker, and none has come for 0 s"):
            watch.look()


def test_a_scheduler_that_went_away_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> None:
        raise OSError("connection closed")

    client = Client(1)
    monkeypatch.setattr(client, "nthreads", gone)
    with pytest.raises(fx.FlexnetError, match="the Dask scheduler is no longer there"):
        cluster._Watch(client)


def test_a_cluster_that_is_not_there_is_named_and_nothing_is_left_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.3)
    with pytest.raises(fx.FlexnetError, match=r"no Dask scheduler at 'tcp://127\.0\.0\.1:9'"):
        fx.study(build, {"length": [1]}, ["angle"], dask=ADDRESS, out=tmp_path / "a.nc", **RUN)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Dask about its ports and its clean-up
def test_a_cluster_gives_the_rows_of_this_process_and_loses_nothing_with_a_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import LocalCluster

    monkeypatch.setenv(MARKER, str(tmp_path / "marker"))
    here = fx.study(build, {"length": "0.5:2:7"}, ["angle"], **RUN)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        there = fx.study(
            deadly,
            {"length": "0.5:2:7"},
            ["angle"],
            dask=cluster.scheduler_address,
            out=tmp_path / "a.zarr",
            **RUN,
        )
    assert (tmp_path / "marker").exists()
    assert np.array_equal(here.angle, there.angle)
    assert (there.failure == "").all()
