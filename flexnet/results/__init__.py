"""Result files: written block by block, read lazily, compared with references. SI units throughout."""

from flexnet.results.channel_set import ChannelSet
from flexnet.results.layout import ENERGIES, OF_NETWORKS, SCHEMA, STORES, WORKS, ChannelSpec, ResultLayout
from flexnet.results.mechanism import BodyRecord, EdgeRecord, Mechanism, PlaneRecord, Symbol
from flexnet.results.reader import FrameMotion, JointLoad, Results, RunStatus
from flexnet.results.series import Channel, Series
from flexnet.results.writer import STATUSES, ResultWriter

__all__ = [
    "ENERGIES", "OF_NETWORKS", "SCHEMA", "STORES", "WORKS",
    "STATUSES", "ChannelSpec", "ResultLayout", "ResultWriter",
    "Mechanism", "BodyRecord", "EdgeRecord", "PlaneRecord", "Symbol",
    "Results", "RunStatus", "FrameMotion", "JointLoad", "Channel", "Series", "ChannelSet",
]  # fmt: skip
