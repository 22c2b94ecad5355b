"""Real exports are read exactly: values, units, names."""

from pathlib import Path

import numpy as np
import pytest

from flexnet.errors import FileFormatError
from flexnet.results.readers import read_adams_res, read_channels
from flexnet.results.rotation import quaternion_from_313

DATA = Path(__file__).parent / "data"


def test_an_adams_result_file_is_read_exactly():
    channels = read_channels(DATA / "adams2022_freefall_sample.res")
    assert channels.format == "Adams results (XRF)"
    assert channels.names()[:4] == ("PART_2_XFORM.X", "PART_2_XFORM.Y", "PART_2_XFORM.Z", "PART_2_XFORM.PSI")
    assert channels.channel("PART_2_XFORM.ACCY").unit == "inch/sec**2"
    fall = channels.read("PART_2_XFORM.Y")
    np.testing.assert_array_equal(fall.time, [0.01, 0.02, 0.1, 0.25])
    np.testing.assert_array_equal(
        fall.values, [-0.0194492123535125, -0.07736249975851248, -1.93058769671851249, -12.06541299259351163]
    )
    assert channels.provenance["title"] == "Adams View model name: MODEL_1"
    assert channels.provenance["status"] == "Successful"
    orientation = channels.read("PART_2_XFORM.QUATERNION")
    np.testing.assert_array_equal(orientation.values, np.tile([1.0, 0.0, 0.0, 0.0], (4, 1)))


def test_steps_are_read_by_type():
    path = DATA / "adams2022_freefall_sample.res"
    start = read_adams_res(path, steps="initialConditions").read("PART_2_XFORM.ACCY")
    np.testing.assert_array_equal(start.time, [0.0])
    np.testing.assert_array_equal(start.values, [-386.08858270000001767])
    with pytest.raises(
        FileFormatError, match="no steps of type 'static', only input, initialConditions, dynamic"
    ):
        read_adams_res(path, steps="static")


def test_an_adams_spreadsheet_is_read_exactly():
    channels = read_channels(DATA / "adams_spreadsheet_export_sample.tab")
    assert channels.names()[-1] == ".eagle_nvh_tester.LC_4.drv_torque.TMAG"
    assert all(channel.unit is None for channel in channels.channels)
    torque = channels.read(".eagle_nvh_tester.LC_4.drv_torque.TZ")
    assert len(torque.time) == 23
    assert (torque.time[1], torque.values[1]) == (13.001, -1.650464e5)
    assert "eagle_nvh_tester" in channels.provenance["heading"]


def test_a_csv_reference_is_read_with_the_units_of_its_names():
    channels = read_channels(DATA / "four_bar_linear_2modes.csv")
    assert channels.channel("driver_force_Nm").unit == "Nm"
    assert channels.channel("crank_rad").unit == "rad"
    assert channels.read("crank_rad").values[1] == 2.309994598e-02
    assert "Exudyn" in channels.provenance["comment"]


TURNING = """<Results xmlns="x">
<Analysis name="one"><StepMap name="map_001">
<Entity name="P_XFORM"><Component name="PHI" unitsValue="deg" id="2"/>
<Component name="PSI" unitsValue="deg" id="4"/>
<Component name="THETA" unitsValue="deg" id="5"/></Entity>
<Entity name="time"><Component name="TIME" unitsValue="millisecond" id="3"/></Entity>
<Entity name="R"><Component name="U2" unitsValue="newton-mm" id="1"/></Entity></StepMap>
<Data name="static_001"><Step type="static">0 0 0 0 0</Step><Step type="static">0 0 0 0 0</Step></Data>
<Data name="dynamic_001"><Step type="dynamic">7 30 0 10 20</Step></Data>
<Data name="dynamic_002"><Step type="dynamic">8 60 2 40 50</Step></Data></Analysis>
<Analysis name="two"><StepMap name="map_001"><Entity name="time"><Component name="TIME" id="1"/></Entity>
<Entity name="R"><Component name="U2" id="2"/></Entity></StepMap>
<Data name="q"><Step type="quasiStatic">1 5</Step></Data></Analysis></Results>"""


def test_analyses_types_ids_and_angles_find_their_places(tmp_path):
    path = tmp_path / "a.res"
    path.write_text(TURNING)
    channels = read_channels(path)
    assert set(channels.names()) == {
        "one.R.U2", "one.P_XFORM.PHI", "one.P_XFORM.PSI", "one.P_XFORM.THETA",
        "one.P_XFORM.QUATERNION", "two.R.U2",
    }  # fmt: skip
    moment = channels.read("one.R.U2")
    np.testing.assert_array_equal(moment.values, [7.0, 8.0])
    np.testing.assert_allclose(moment.time, [0.0, 0.002])
    turn = channels.read("one.P_XFORM.QUATERNION").values
    expected = quaternion_from_313(*np.radians([[10.0, 40.0], [20.0, 50.0], [30.0, 60.0]]))
    np.testing.assert_allclose(turn, expected, atol=1e-15)
    np.testing.assert_array_equal(channels.read("two.R.U2").values, [5.0])


def test_a_spreadsheet_may_hold_several_blocks(tmp_path):
    path = tmp_path / "a.tab"
    path.write_text('"x"\n\n".m.a.r.TIME"\t".m.a.r.X"\n0 1\n1 2\n\n"y"\n".m.a.s.TIME"\t".m.a.s.X"\n0.5\t3\n')
    channels = read_channels(path, units={".m.a.s.X": "mm"})
    np.testing.assert_array_equal(channels.read(".m.a.r.X").time, [0.0, 1.0])
    np.testing.assert_array_equal(channels.read(".m.a.s.X").values, [3.0])
    assert channels.channel(".m.a.s.X").unit == "mm"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_units_stand_in_brackets_or_are_given(tmp_path, separator):
    path = tmp_path / "a.csv"
    path.write_text("# made by hand\n" + separator.join(["time [ms]", '"x, y [mm]"', "z"]) + "\n")
    with path.open("a") as file:
        file.write(separator.join(["0", "1", "2"]) + "\n\n" + separator.join(["500", " 3 ", "4e-1"]) + "\n")
    channels = read_channels(path, units={"z": "N*m"})
    assert [(c.name, c.unit) for c in channels.channels] == [("x, y", "mm"), ("z", "N*m")]
    np.testing.assert_array_equal(channels.read("z").time, [0.0, 0.5])


def test_four_components_make_one_orientation(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("t,A/quaternion/w,A/quaternion/x,A/quaternion/y,A/quaternion/z,u\n0,1,0,0,0,5\n")
    channels = read_channels(path)
    assert channels.names() == ("u", "A/quaternion")
    np.testing.assert_array_equal(channels.read("A/quaternion").values, [[1.0, 0.0, 0.0, 0.0]])


def test_a_file_is_recognised_by_its_first_bytes(tmp_path):
    for name in (
        "adams2022_freefall_sample.res",
        "adams_spreadsheet_export_sample.tab",
        "four_bar_linear_2modes.csv",
    ):
        copy = tmp_path / f"{name}.txt"
        copy.write_bytes((DATA / name).read_bytes())
        assert read_channels(copy).format == read_channels(DATA / name).format
