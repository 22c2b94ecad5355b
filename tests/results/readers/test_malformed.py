"""Whatever is wrong with a file is one sentence with the file and the place, and nothing else."""

import random
import tracemalloc
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample import write_sample

from flexnet.errors import FileFormatError
from flexnet.results.readers import READERS, read_channels
from flexnet.results.readers.adams_res import _scan

DATA = Path(__file__).parent / "data"
RES = (DATA / "adams2022_freefall_sample.res").read_text()
TAB = (DATA / "adams_spreadsheet_export_sample.tab").read_text()
CSV = "t [s],x [mm]\n0,1\n0.5,2\n1,3\n"
BOMB = '<!DOCTYPE b [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
OUTSIDE = '<!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n'
FOREIGN_DTD = '<!DOCTYPE Results SYSTEM "http://example.invalid/xrf.dtd">\n'
HEAD, BODY = RES.split("\n", 1)

CASES = {
    "a case": (".py", '"""A case."""\n', "a case, not what came of it; flexnet run .* writes a result file"),
    "csv empty": (".csv", "", "is empty"),
    "tab empty": (".tab", "", "is empty"),
    "res empty": (".res", "", "is empty"),
    "h5 empty": (".h5", "", "is empty"),
    "csv without rows": (".csv", "t,x\n", "line 1: no rows follow"),
    "csv without header": (".csv", "0,1\n1,2\n", "line 1: expected the names"),
    "csv comments only": (".csv", "# nothing\n", "no header line"),
    "csv truncated": (".csv", CSV + "1.5", "line 5: 1 values, expected 2"),
    "csv too long a row": (".csv", CSV + "1.5,1,2\n", "line 5: 3 values, expected 2"),
    "csv encoding": (".csv", CSV.encode("utf-16"), "line 1: not UTF-8 text"),
    "csv latin": (".csv", "t,x [°]\n".encode("latin-1") + b"0,1\n", "line 1: not UTF-8 text"),
    "csv binary": (".csv", "t,x\n0,\0\n", "line 2: holds binary data"),
    "csv unsorted": (".csv", CSV + "0.75,1\n", "line 5: time 0.75 comes after 1"),
    "csv repeated": (".csv", CSV + "1,1\n", "line 5: time 1 is repeated"),
    "csv nan": (".csv", CSV + "2,nan\n", "line 5: column 'x': nan is not a finite number"),
    "csv inf": (".csv", CSV + "inf,1\n", "line 5: column 't': inf is not a finite number"),
    "csv word": (".csv", CSV + "2,fast\n", "line 5: column 'x': 'fast' is not a number"),
    "csv python number": (".csv", CSV + "2,1_0\n", "line 5: column 'x': '1_0' is not a number"),
    "csv unit": (".csv", "t,x [parsec]\n0,1\n", "line 1: column 'x': unknown unit 'parsec'"),
    "csv time unit": (".csv", "t [mm],x\n0,1\n", "line 1: time column 't': unit 'mm' cannot be converted"),
    "csv twice": (".csv", "t,x,x\n0,1,2\n", "line 1: column 'x' is named twice"),
    "csv quote": (".csv", 't,"x\n0,1\n', "line 1: unexpected end of data"),
    "csv long line": (".csv", "t,x\n" + "1" * (1 << 22), "line 2: longer than"),
    "tab truncated": (".tab", TAB[:3000], "line 28: 3 values, expected 9"),
    "tab without names": (".tab", "1 2 3\n", "line 1: numbers before the quoted names"),
    "tab without time": (".tab", '"a" "b"\n', "no line of quoted names"),
    "tab nan": (".tab", TAB.replace("1.652733e+05\n", "1.#QNAN\n", 1), "line 8: .*'1.#QNAN' is not a number"),
    "tab twice": (".tab", '"TIME" "X"\n0 1\n"TIME" "X"\n0 1\n', "column 'X' is in two blocks"),
    "tab unsorted": (".tab", '"TIME" "X"\n1 1\n0 1\n', "line 3: time 0 comes after 1"),
    "res truncated": (".res", RES[:2500], r"line \d+: broken XML \(no element found\)"),
    "res cut in a tag": (".res", RES[:1500], r"line \d+: broken XML"),
    "res bomb": (".res", HEAD + "\n" + BOMB + BODY, "line 2: declares a document type or entities"),
    "res external": (".res", HEAD + "\n" + OUTSIDE + BODY, "line 2: declares a document type"),
    "res dtd": (".res", HEAD + "\n" + FOREIGN_DTD + BODY, "line 2: declares a document type"),
    "res unknown entity": (
        ".res",
        RES.replace("0.01\n", "&x;\n"),
        r"line \d+: broken XML \(undefined entity",
    ),
    "res encoding": (".res", RES.replace("UTF-8", "klingon"), "line 1: "),
    "res wrong bytes": (
        ".res",
        RES.replace("Adams Solver", "Ädams").encode("latin-1"),
        "line 12: broken XML",
    ),
    "res no id": (".res", RES.replace(' id="5"', ""), "line 27: component 'PART_2_XFORM.PSI' has no id"),
    "res bad id": (".res", RES.replace(' id="5"', ' id="-5"'), "has id '-5', expected a positive integer"),
    "res huge id": (".res", RES.replace(' id="5"', ' id="99999999"'), "expected a positive integer"),
    "res id twice": (".res", RES.replace(' id="5"', ' id="4"'), "id 4 of .*PSI.* is also that of .*Z"),
    "res id beyond": (
        ".res",
        RES.replace(' id="19"', ' id="20"'),
        "line 45: step holds 19 values, .* ids up to 20",
    ),
    "res short step": (".res", RES.replace("0.02\n", "", 1), "step holds 18 values"),
    "res nan": (".res", RES.replace("-3.8608858270000006", "nan"), "line 61: step holds nan for id 9"),
    "res word": (".res", RES.replace("-3.8608858270000006", "x"), "line 61: .* not a number"),
    "res unit": (
        ".res",
        RES.replace('"inch/sec"', '"warp"', 1),
        "line 30: component .*VX': unknown unit 'warp'",
    ),
    "res unsorted": (".res", RES.replace("0.25\n", "0.05\n"), r"line \d+: time 0.05.* comes after 0.1"),
    "res repeated": (".res", RES.replace("0.25\n", "0.1\n"), r"line \d+: time 0.1.* is repeated"),
    "res other root": (".res", "<html></html>", "line 1: root element is 'html', expected 'Results'"),
    "res no steps": (".res", "<Results></Results>", "holds no steps"),
    "res step first": (".res", "<Results><Step>1</Step></Results>", "line 1: step before a step map"),
    "res deep": (".res", "<Results>" + "<a>" * 60, "nested deeper than 50"),
    "res endless step": (".res", RES.replace("0.01\n", "0.01\n" + " " * 9000), "longer than its 19 values"),
    "h5 foreign": (".h5", "not HDF5", "not a readable HDF5 file"),
    "h5 truncated": (".h5", b"\x89HDF\r\n\x1a\n\x03\x08\x08\x00" + bytes(40), "not a readable HDF5 file"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_malformed_file_is_one_sentence_with_its_place(tmp_path, name):
    ending, content, sentence = CASES[name]
    path = tmp_path / f"reference{ending}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FileFormatError, match=sentence) as caught:
        read_channels(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", READERS)
def test_a_folder_and_a_missing_file_are_named(tmp_path, ending):
    (tmp_path / f"folder{ending}").mkdir()
    with pytest.raises(FileFormatError, match=f"folder{ending}: is a folder"):
        read_channels(tmp_path / f"folder{ending}")
    with pytest.raises(FileFormatError, match=f"none{ending}: no such file"):
        read_channels(tmp_path / f"none{ending}")


def read_everything(path: Path) -> None:
    channels = read_channels(path)
    for name in channels.names():
        channels.read(name)


FUZZ = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@FUZZ
@given(st.sampled_from(list(READERS)), st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path, ending, content):
    path = tmp_path / f"fuzz{ending}"
    path.write_bytes(content)
    with suppress(FileFormatError):
        read_everything(path)


@FUZZ
@given(st.sampled_from([(".res", RES), (".tab", TAB), (".csv", CSV)]), st.data())
def test_any_damage_to_a_good_file_is_read_or_refused(tmp_path, sample, data):
    ending, text = sample
    raw = text.encode()
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(raw)))
        stop = data.draw(st.integers(start, min(len(raw), start + 40)))
        patch = data.draw(st.one_of(st.binary(max_size=8), st.text(max_size=6).map(str.encode)))
        raw = raw[:start] + patch + raw[stop:]
    path = tmp_path / f"fuzz{ending}"
    path.write_bytes(raw)
    with suppress(FileFormatError):
        read_everything(path)


@FUZZ
@given(st.lists(st.lists(st.one_of(st.floats().map(str), st.text(max_size=5)), max_size=4), max_size=4))
def test_any_cells_make_a_csv_or_are_refused(tmp_path, rows):
    path = tmp_path / "fuzz.csv"
    path.write_text("t,x [mm]\n" + "\n".join(",".join(row) for row in rows), errors="surrogatepass")
    with suppress(FileFormatError):
        read_everything(path)


def test_a_result_file_with_damaged_bytes_is_read_or_refused(tmp_path):
    good = write_sample(tmp_path / "good.h5", np.linspace(0.0, 1.0, 5)).read_bytes()
    path, dice = tmp_path / "fuzz.h5", random.Random(7)
    refused = 0
    for _ in range(30):
        raw = bytearray(good)
        for _ in range(dice.randint(1, 10)):
            raw[dice.randrange(12_000)] = dice.randrange(256)
        path.write_bytes(raw[: dice.randrange(len(raw))] if dice.random() < 0.3 else raw)
        try:
            read_everything(path)
        except FileFormatError:
            refused += 1
    assert refused > 20


def test_a_long_result_file_does_not_fill_the_memory(tmp_path):
    path = tmp_path / "long.res"
    components = "".join(f'<Component name="C{k}" unitsValue="mm" id="{k}"/>' for k in range(2, 200))
    with path.open("w") as file:
        file.write('<Results><Analysis name="a"><StepMap name="m"><Entity name="time">')
        file.write(
            f'<Component name="TIME" id="1"/></Entity><Entity name="E">{components}</Entity></StepMap><Data>'
        )
        values = " ".join(["0.12345678901234567"] * 198)
        file.writelines(f'<Step type="dynamic">{k} {values}</Step>\n' for k in range(1500))
        file.write("</Data></Analysis></Results>")
    assert path.stat().st_size > 5_000_000
    tracemalloc.start()
    _scan(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_500_000
