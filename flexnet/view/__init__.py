"""Plots, graph drawings, reports and animations, without a screen; matplotlib is imported on use."""

from flexnet.validation import needs
from flexnet.view.animation import AnimationOptions, animate
from flexnet.view.channel_plot import (
    draw_balance,
    draw_channels,
    draw_comparison,
    plot_balance,
    plot_bode,
    plot_channels,
    plot_comparison,
    plot_histories,
)
from flexnet.view.gltf import write_gltf
from flexnet.view.graph import draw_graph, write_graph
from flexnet.view.mechanism_drawing import Projection
from flexnet.view.moving import MOVING, moving_format
from flexnet.view.page import page_text, write_page
from flexnet.view.pages import write_pages
from flexnet.view.paraview import write_paraview
from flexnet.view.report import report_page, write_report
from flexnet.view.selection_strip import draw_selection, write_drawing
from flexnet.view.study_plot import draw_study, plot_study, study_kind
from flexnet.view.xdmf import write_xdmf

__all__ = [
    "AnimationOptions", "Projection", "animate", "draw_balance", "plot_balance", "plot_bode", "draw_channels",
    "plot_channels", "draw_comparison", "plot_comparison", "draw_graph", "write_graph", "report_page",
    "draw_selection", "write_drawing", "plot_histories",
    "write_report", "write_pages", "write_paraview", "write_page", "page_text", "draw_study", "plot_study",
    "study_kind", "write_gltf", "write_xdmf", "MOVING", "moving_format",
]  # fmt: skip

needs("matplotlib", "view", "drawings and pages")
