"""The same mechanism in Exudyn: a translation of a flexnet System, body by body and joint by joint."""

from dataclasses import dataclass
from time import process_time

import exudyn as exu
import exudyn.itemInterface as eii
import numpy as np
from exudyn.rigidBodyUtilities import RigidBodyInertia

import flexnet as fx
from flexnet.components import (
    DistanceRod,
    Frame,
    Revolute,
    RigidBody,
    Torque,
    TorsionalSpring,
    TranslationalSpring,
    Weight,
)
from flexnet.components.spherical import Spherical


@dataclass(frozen=True, slots=True)
class Options:
    """What can be chosen in Exudyn without changing the model."""

    solver: str
    modified_newton: bool

    def __str__(self) -> str:
        return f"{self.solver}, {'modified' if self.modified_newton else 'full'} Newton"


OPTIONS = tuple(
    Options(solver, modified) for solver in ("EigenSparse", "EXUdense") for modified in (True, False)
)


def solve(
    mbs: object, end: float, step: float, rho: float, options: Options, keeps_step: bool = False
) -> float:
    """Integrate a model by generalised-α; returns the time SolveDynamic took, s.

    ``keeps_step``: contact that begins within a step does not ask for a smaller one.
    """
    s = exu.SimulationSettings()
    s.timeIntegration.numberOfSteps = round(end / step)
    s.timeIntegration.endTime = end
    s.timeIntegration.adaptiveStep = False
    if keeps_step:
        s.timeIntegration.discontinuous.useRecommendedStepSize = False
        s.timeIntegration.discontinuous.ignoreMaxIterations = True
    s.timeIntegration.generalizedAlpha.spectralRadius = rho
    s.timeIntegration.newton.useModifiedNewton = options.modified_newton
    s.linearSolver.solverType = getattr(exu.LinearSolverType, options.solver)
    s.linearSolver.reuseAnalyzedPattern = True
    s.solution.file.write = False
    s.timeIntegration.verboseMode = 0
    begin = process_time()
    solved = mbs.SolveDynamic(s, exu.DynamicSolverType.GeneralizedAlpha)
    seconds = process_time() - begin
    if solved is False:
        raise RuntimeError(f"Exudyn did not converge with {options}")
    return seconds


class Twin:
    """A System in Exudyn: 2-D bodies where it is planar, else 3-D bodies with Euler parameters.

    Parameters
    ----------
    equations : in absolute coordinates, as Exudyn's are: they tell the start and what is redundant.
    """

    def __init__(self, equations: fx.Equations) -> None:
        self.system = equations.system
        self.equations = equations
        self.start = equations.poses(equations.initial)
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.numbers = {self.system.ground.name: self.mbs.AddObject(eii.ObjectGround())}
        for part in self.system.parts:
            if isinstance(part, RigidBody):
                self._body(part)
        for part in self.system.parts:
            self._part(part)
        self.mbs.Assemble()

    def position(self, frame: Frame) -> np.ndarray:
        """Position of a frame at the end of the run, (3,) m."""
        return np.array(
            self.mbs.GetObjectOutputBody(
                self.numbers[frame.body], exu.OutputVariableType.Position, list(frame.position)
            )
        )

    def solve(self, end: float, step: float, rho: float, options: Options) -> float:
        """Integrate by generalised-α; returns the time SolveDynamic took, s."""
        return solve(self.mbs, end, step, rho, options)

    # -- items ---------------------------------------------------------------------------------

    def _body(self, part: RigidBody) -> None:
        poses = self.start
        i = self.equations.packer.rotation_node[part.name]
        p, R, v, w = poses.p[i], poses.R[i], poses.v[i], poses.omega[i]
        if self.system.is_planar:
            angle = float(np.arctan2(R[1, 0], R[0, 0]))
            node = self.mbs.AddNode(
                eii.NodeRigidBody2D(
                    referenceCoordinates=[p[0], p[1], angle], initialVelocities=[v[0], v[1], w[2]]
                )
            )
            self.numbers[part.name] = self.mbs.AddObject(
                eii.ObjectRigidBody2D(mass=part.mass, inertia=part.inertia[2, 2], nodeNumber=node)
            )
            return
        made = self.mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=part.mass, inertiaTensor=part.inertia, com=np.zeros(3)),
            nodeType=exu.NodeType.RotationEulerParameters,
            referencePosition=p, referenceRotationMatrix=R, initialVelocity=v, initialAngularVelocity=w,
            returnDict=True,
        )  # fmt: skip
        self.numbers[part.name] = made["bodyNumber"]

    def _part(self, part: object) -> None:
        mbs = self.mbs
        if isinstance(part, Weight):
            marker = mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=self.numbers[part.head.body]))
            mbs.AddLoad(eii.LoadForceVector(markerNumber=marker, loadVector=list(part.force)))
        elif isinstance(part, Torque):
            torque = [float(f.parameters[0]) for f in part.components]
            marker = mbs.AddMarker(eii.MarkerBodyRigid(bodyNumber=self.numbers[part.head.body]))
            mbs.AddLoad(eii.LoadTorqueVector(markerNumber=marker, loadVector=torque))
        elif isinstance(part, TranslationalSpring):
            mbs.AddObject(
                eii.ObjectConnectorSpringDamper(
                    markerNumbers=[self._point(part.tail), self._point(part.head)],
                    stiffness=part.stiffness, damping=part.damping, referenceLength=part.rest,
                )
            )  # fmt: skip
        elif isinstance(part, DistanceRod):
            ends = [self._point(part.tail), self._point(part.head)]
            length = float(part.length.parameters[0])
            mbs.AddObject(eii.ObjectConnectorDistance(markerNumbers=ends, distance=length))
        elif isinstance(part, TorsionalSpring):
            ends = [self._frame(part.tail), self._frame(part.head)]
            mbs.AddObject(
                eii.ObjectConnectorTorsionalSpringDamper(
                    markerNumbers=ends, stiffness=part.stiffness, damping=part.damping
                )
            )
        elif isinstance(part, Spherical):
            ends = [self._point(part.tail), self._point(part.head)]
            mbs.AddObject(eii.ObjectJointSpherical(markerNumbers=ends))
        elif isinstance(part, Revolute):
            self._revolute(part)

    def _point(self, frame: Frame) -> int:
        return self.mbs.AddMarker(
            eii.MarkerBodyPosition(bodyNumber=self.numbers[frame.body], localPosition=list(frame.position))
        )

    def _frame(self, frame: Frame) -> int:
        return self.mbs.AddMarker(
            eii.MarkerBodyRigid(bodyNumber=self.numbers[frame.body], localPosition=list(frame.position))
        )

    def _revolute(self, part: Revolute) -> None:
        """A pin about an axis of its frames; in the plane's directions alone where that is redundant."""
        if self.system.is_planar:
            ends = [self._point(part.tail), self._point(part.head)]
            self.mbs.AddObject(eii.ObjectJointRevolute2D(markerNumbers=ends))
            return
        markers = [self._frame(f) for f in (part.tail, part.head)]
        closes = any(name.startswith(f"{part.name}:") for name in self.equations.redundant)
        held = [int(abs(x) < 0.5) for x in part.axis]
        axes = [1, 1, 0, 0, 0, 0] if closes else [1, 1, 1, *held]
        self.mbs.AddObject(eii.ObjectJointGeneric(markerNumbers=markers, constrainedAxes=axes))
