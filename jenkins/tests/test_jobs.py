"""The jobs: one for each target, with the parameters of the Jenkinsfile, in the XML that Jenkins would get."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.__main__ import main
from jobs.parameters import read_parameters
from jobs.problem import Problem
from jobs.targets import read_targets
from tests.checkout import CLUSTERS, JENKINS, ROOT, TARGETS, copy_for_jobs, driver_of, read_yaml
from tests.rendered import Job, pipelines, render, unmatched

PARAMETERS = [
    *("WORKLOAD", "PROFILE", "LOAD_HOSTS", "THROUGHPUT", "TEST_TIME", "DOCUMENT_SIZE", "SEED", "RECREATE_DATA"),
    *("REPEAT", "COMPARE_WITH", "EXTRA", "TIMEOUT_MINUTES"),
]
TIMER = "hudson.triggers.TimerTrigger"


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Job]]:
    yield render(JENKINS / "jobs", tmp_path_factory.mktemp("jobs"))


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    (entry,) = read_yaml(JENKINS / "jobs" / "settings.yml")
    return dict(entry["defaults"])


def declared(jenkinsfile: Path) -> list[tuple[str, str, str | list[str], str]]:
    """Return the Jenkinsfile's parameters as Job.parameters does."""
    found = []
    for parameter in read_parameters(jenkinsfile):
        default = parameter.default
        text = str(default).lower() if isinstance(default, bool) else default
        found.append((parameter.kind, parameter.name, text, parameter.description))
    return found


def varied(driver: str) -> list[tuple[str, str, str | list[str], str]]:
    matrix = read_yaml(JENKINS / "matrix.yml")
    return [("string", name, value, matrix["about"][name]) for name, value in matrix["drivers"][driver].items()]


def test_the_committed_file_is_what_the_targets_and_jenkinsfiles_make() -> None:
    assert main(["--check"]) == 0


def test_every_target_has_its_job_and_every_job_its_target(jobs: dict[str, Job]) -> None:
    assert len(TARGETS) >= 9
    assert unmatched(jobs, TARGETS) == []


def test_every_folder_is_there_before_its_jobs(jobs: dict[str, Job]) -> None:
    folders = {name for name in jobs if name not in pipelines(jobs)}
    assert {name.rpartition("/")[0] for name in jobs} - {""} <= folders
    assert {job.root.tag for name, job in jobs.items() if name in folders} == {
        "com.cloudbees.hudson.plugins.folder.Folder"
    }


@pytest.mark.parametrize("target", TARGETS)
def test_the_job_of_a_target(jobs: dict[str, Job], settings: dict[str, str], target: str) -> None:
    job = jobs[f"shardload/{driver_of(target)}/{target}"]
    assert job.script_path == "Jenkinsfile"
    assert job.repository == (settings["repository"], settings["branch"])
    assert job.extensions == [], "the workspace keeps .shardload"
    assert job.forbids_concurrent_builds
    assert [name for _, name, _, _ in job.parameters] == PARAMETERS
    assert job.parameters == declared(ROOT / "Jenkinsfile")
    assert job.triggers == ([(TIMER, settings["nightly"])] if target in CLUSTERS else [])
    assert job.name.rpartition("/")[2] == target
    (described,) = [read.description for read in read_targets(ROOT / "taurus" / "targets") if read.name == target]
    assert len(described) > 10
    assert job.root.findtext("description").startswith(described)


@pytest.mark.parametrize("target", TARGETS)
def test_the_matrix_job_of_a_cluster(jobs: dict[str, Job], settings: dict[str, str], target: str) -> None:
    job = jobs.get(f"shardload/matrix/{target}")
    assert (job is not None) == (target in CLUSTERS)
    if job:
        assert job.script_path == "jenkins/matrix.Jenkinsfile"
        assert job.repository == (settings["repository"], settings["branch"])
        assert job.extensions == []
        assert job.forbids_concurrent_builds
        names = [name for _, name, _, _ in job.parameters]
        assert len(names) == len(set(names))
        assert job.parameters == declared(JENKINS / "matrix.Jenkinsfile") + varied(driver_of(target))
        assert job.triggers == [(TIMER, settings["weekly"])]


def test_the_page_lists_the_parameters_as_they_are() -> None:
    rows = [line for line in (ROOT / "docs" / "jenkins.md").read_text().splitlines() if line.startswith("| `")]
    table = [row for row in rows if row.split("`")[1] in PARAMETERS]
    expected = []
    for kind, name, default, description in declared(ROOT / "Jenkinsfile"):
        shown = {"false": "off", "true": "on"}[str(default)] if kind == "booleanParam" else default and f"`{default}`"
        expected.append(f"| `{name}` | {shown} | {description} |")
    assert table == expected


@pytest.mark.parametrize("time", ["nightly", "weekly"])
def test_the_times_are_spread_by_the_name_of_the_job(settings: dict[str, str], time: str) -> None:
    minute, hour = settings[time].split()[:2]
    assert minute == "H"
    assert hour.startswith("H(")


def test_a_target_without_a_job_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = copy_for_jobs(tmp_path)
    (root / "taurus" / "targets" / "another.yml").write_text("target: {driver: postgresql, url: x}\n")

    assert main(["--check", "--root", str(root)]) == 1
    assert "differs from taurus/targets, the Jenkinsfiles or jenkins/matrix.yml" in capsys.readouterr().err
    assert main(["--root", str(root)]) == 0
    assert unmatched(render(root / "jenkins" / "jobs", tmp_path / "xml"), TARGETS) == [
        "no target: shardload/postgresql/another"
    ]


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("  mongodb:\n", "  mongo:\n", "drivers: mongodb is missing, which a target with a cluster uses"),
        (
            "schema.index=hashed,ascending\n    STORAGE: ''\n",
            "schema.index=hashed,ascending\n",
            "drivers.mongodb: expected INDEX, STORAGE, DOCUMENT_SIZE, DOCUMENT_SIZE_WITHOUT_TOAST",
        ),
    ],
)
def test_a_matrix_that_lacks_something_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, line: str
) -> None:
    root = copy_for_jobs(tmp_path)
    path = root / "jenkins" / "matrix.yml"
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))

    assert main(["--root", str(root)]) == 1
    assert capsys.readouterr().err == f"{path}: {line}\n"


def test_a_parameter_of_the_job_that_the_jenkinsfile_declares_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = copy_for_jobs(tmp_path)
    path = root / "jenkins" / "matrix.Jenkinsfile"
    path.write_text(path.read_text().replace("string(name: 'SEED'", "string(name: 'INDEX'"))

    assert main(["--root", str(root)]) == 1
    assert "INDEX is declared by the Jenkinsfile, which replaces that of the job" in capsys.readouterr().err


def test_a_job_without_a_target_is_found(tmp_path: Path) -> None:
    root = copy_for_jobs(tmp_path)
    (root / "taurus" / "targets" / "citus.yml").unlink()

    assert main(["--check", "--root", str(root)]) == 1
    assert main(["--root", str(root)]) == 0
    assert unmatched(render(root / "jenkins" / "jobs", tmp_path / "xml"), TARGETS) == [
        "no job: shardload/postgresql/citus"
    ]


def test_a_changed_default_is_found(tmp_path: Path) -> None:
    root = copy_for_jobs(tmp_path)
    text = (root / "Jenkinsfile").read_text()
    changed = text.replace("name: 'RECREATE_DATA', defaultValue: false", "name: 'RECREATE_DATA', defaultValue: true")
    assert changed != text
    (root / "Jenkinsfile").write_text(changed)

    assert main(["--check", "--root", str(root)]) == 1


def test_braces_and_markup_reach_jenkins_as_text(tmp_path: Path) -> None:
    root = copy_for_jobs(tmp_path)
    (root / "taurus" / "targets" / "noop.yml").write_text("# {a} <b> & {obj:c}. More.\ntarget: {driver: noop}\n")

    assert main(["--root", str(root)]) == 0
    job = render(root / "jenkins" / "jobs", tmp_path / "xml")["shardload/noop/noop"]
    assert job.root.findtext("description").startswith("{a} &lt;b&gt; &amp; {obj:c}.<!--")


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("string(name: \"A\", defaultValue: '')", "not understood"),
        ("password(name: 'A', defaultValue: '')", "unknown kind of parameter password"),
        ("string(name: 'A')", "a string needs a name and a default of its kind"),
        ("string(name: 'A', defaultValue: false)", "a string needs a name and a default of its kind"),
        ("string(name: 'A', value: '')", "unexpected argument value"),
        ("string(name: 'A', defaultValue: x)", "expected a text in single quotes and found x"),
        ("string(name: 'A' defaultValue: '')", "expected , or ) and found defaultValue"),
    ],
)
def test_a_parameter_that_is_not_understood_is_refused(tmp_path: Path, block: str, line: str) -> None:
    path = tmp_path / "Jenkinsfile"
    path.write_text(f"pipeline {{\n  parameters {{\n    {block}\n  }}\n}}\n")
    with pytest.raises(Problem, match="^" + str(path) + r":3: ") as raised:
        read_parameters(path)
    assert line in str(raised.value)


def test_all_kinds_of_parameters_are_read(tmp_path: Path) -> None:
    path = tmp_path / "Jenkinsfile"
    path.write_text(
        "pipeline { /* parameters { */\n  parameters {\n    // one\n"
        "    string(name: 'A', defaultValue: 'it\\'s', description: 'x', trim: true)\n"
        "    choice(name: 'B', choices: ['1', '2'])\n    text(name: 'C', defaultValue: '')\n"
        "    booleanParam(name: 'D',\n      defaultValue: true)\n  }\n}\n"
    )
    assert [parameter.to_yaml() for parameter in read_parameters(path)] == [
        {"string": {"name": "A", "default": "it's", "description": "x", "trim": True}},
        {"choice": {"name": "B", "choices": ["1", "2"], "description": ""}},
        {"text": {"name": "C", "default": "", "description": ""}},
        {"bool": {"name": "D", "default": True, "description": ""}},
    ]


@pytest.mark.parametrize("name", ["matrix", "A b", "a/b"])
def test_a_driver_that_cannot_be_a_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.yml").write_text(f"target: {{driver: {name}}}\n")
    with pytest.raises(Problem, match=r"target\.driver cannot be part of a job's name"):
        read_targets(tmp_path)
