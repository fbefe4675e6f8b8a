"""pytest plugin: prove in a test how your API client behaves when the API misbehaves.

    pytest_plugins = ["mishap_pytest"]                       # conftest.py; this file in your path

    def test_a_lost_answer_books_once(mishap):
        with mishap.run("POST /v1/bookings response_lost attempt=1", api="booking") as api:
            my_client.book(base_url=api.url, reference="r-1")

When the block ends, mishap judges what your client did; a verdict that is not `pass` fails the test
with the report as its message. README.md beside this file tells the options. Only the standard library.
"""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

import pytest

STARTS_WITHIN = 20.0  # seconds
ANSWERS_WITHIN = 60.0  # ending a run waits for effects that are still to come


class MishapError(Exception):
    """mishap itself could not do what was asked: no binary, a wrong scenario, a wrong option."""


class Control:
    """The calls of the control API."""

    def __init__(self, url, token=None):
        self.url, self._token = url.rstrip("/"), token
        # Whatever proxy the environment names: the control API is never behind it.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if self._token:
            request.add_header("Authorization", "Bearer " + self._token)
        try:
            with self._opener.open(request, timeout=ANSWERS_WITHIN) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise MishapError(_told(error)) from None
        except OSError as error:
            raise MishapError(f"the control API at {self.url} does not answer: {error}") from error
        return json.loads(text) if text else None


def _told(error):
    try:
        problem = json.loads(error.read())
    except ValueError:
        return f"the control API answered {error.code}"
    lines = [problem.get("detail", "")]
    for one in problem.get("errors", []):
        place = f"{one['source']}:{one['line']}:{one['column']}: " if "line" in one else ""
        if one["detail"] not in lines[0]:
            lines.append(place + one["detail"])
        elif place:
            lines[0] = place + lines[0]
    if problem.get("hint"):
        lines.append(problem["hint"])
    return "\n".join(lines)


class Run:
    """One run: the address your client is to call, and what you know of its outcomes."""

    def __init__(self, control, begun):
        self._control = control
        self.id, self.name, self.token, self.seed = (begun[key] for key in ("id", "name", "token", "seed"))
        self.url, self.urls, self.copies = begun["url"], begun["urls"], begun["copies"]
        self.report = None  # when it has ended

    def outcome(self, operation, outcome, copy=0, **more):
        """What your client says became of an operation: succeeded, failed or pending."""
        line = {"operation": operation, "outcome": outcome, **more}
        self._control.call("POST", f"/v1/runs/{self.id}/outcomes?copy={copy}", line)

    def requests(self):
        """How many requests have come so far."""
        return self._control.call("GET", f"/v1/runs/{self.id}")["requests"]

    def end(self, **how):
        self.report = self._control.call("POST", f"/v1/runs/{self.id}/end", how)
        return self.report


class Mishap:
    """What the `mishap` fixture gives."""

    def __init__(self, control, inconclusive="fail"):
        self._control, self._inconclusive = control, inconclusive

    @contextlib.contextmanager
    def run(self, *faults, background=False, exit_code=None, control=None, inconclusive=None, **request):
        """Begins a run; ends and judges it when the block ends.

        faults: quick faults, as on the command line. request: scenario, yaml, api, set, promise, name,
        require, ignore, seed, copies. background: the client may go on after the block, so its silence
        proves nothing. control: a Run without faults that has ended. inconclusive: fail, skip or pass.
        """
        request.setdefault("name", _name_of_test())
        begun = self._control.call("POST", "/v1/runs", {"faults": list(faults), **request})
        run = Run(self._control, begun)
        try:
            yield run
        except BaseException as error:
            _add_verdict(run, error)
            raise
        how = {"done": not background}
        if exit_code is not None:
            how["exit_code"] = exit_code
        if control is not None:
            how["control"] = control.id
        _judge(run.end(**how), inconclusive or self._inconclusive)


def _name_of_test():
    return os.environ.get("PYTEST_CURRENT_TEST", "run").split("::")[-1].split(" ")[0][:100]


def _judge(report, inconclusive):
    if report["verdict"] == "pass":
        return
    message = report["text"]
    if report["verdict"] != "fail":
        if inconclusive == "pass":
            return
        if inconclusive == "skip":
            pytest.skip(f"inconclusive: {report['headline']}")
        message += "An inconclusive run proves nothing, so it fails the test (mishap_inconclusive)."
    pytest.fail(message, pytrace=False)


def _add_verdict(run, error):
    """The block failed by itself: what the wire saw may say why. Never hides the error."""
    with contextlib.suppress(MishapError):
        report = run.end()
        if hasattr(error, "add_note"):
            error.add_note(f"mishap: {report['verdict']}: {report['headline']}\n{report['text']}")


def _binary():
    found = os.environ.get("MISHAP_BIN") or shutil.which("mishap")
    if not found:
        raise MishapError("no mishap: put it into the PATH, or name it in MISHAP_BIN")
    return found


def _read_ready(descriptor, process, errors):
    """The URL of the control API, once it is there."""
    import select
    text = b""
    while select.select([descriptor], [], [], STARTS_WITHIN)[0]:
        piece = os.read(descriptor, 4096)
        if not piece:
            break
        text += piece
    for line in text.decode().splitlines():
        if line.startswith("ready control "):
            return line.split()[2]
    process.kill()
    process.wait()
    errors.seek(0)
    raise MishapError("mishap did not start: " + (errors.read().decode(errors="replace").strip() or "no word of why"))


@contextlib.contextmanager
def server():
    """A control API: the one that MISHAP_CONTROL_URL names, or one of our own, ended with the block."""
    url = os.environ.get("MISHAP_CONTROL_URL")
    if url:
        yield Control(url, os.environ.get("MISHAP_CONTROL_TOKEN"))
        return
    ours, theirs = os.pipe()
    with tempfile.TemporaryFile() as errors:
        # --until-eof: it ends with us, however we end.
        command = [_binary(), "serve", "--control", "0", "--ready-fd", str(theirs), "--until-eof"]
        try:
            process = subprocess.Popen(command, pass_fds=[theirs], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                       stderr=errors)
        except OSError as error:
            os.close(ours)
            raise MishapError(f"cannot start {command[0]}: {error.strerror}") from None
        finally:
            os.close(theirs)
        try:
            yield Control(_read_ready(ours, process, errors), os.environ.get("MISHAP_CONTROL_TOKEN"))
        finally:
            os.close(ours)
            process.stdin.close()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def pytest_addoption(parser):
    parser.addini("mishap_inconclusive", "an inconclusive verdict does this to the test: fail, skip or pass", default="fail")


def pytest_configure(config):
    config.addinivalue_line("markers", "mishap(*faults, **request): what the mishap_api fixture runs the test under")


@pytest.fixture(scope="session")
def mishap(request):
    how = request.config.getini("mishap_inconclusive")
    if how not in ("fail", "skip", "pass"):
        raise pytest.UsageError(f"mishap_inconclusive is fail, skip or pass, not {how!r}")
    with server() as control:
        yield Mishap(control, how)


@pytest.fixture
def mishap_api(mishap, request):
    """The run that @pytest.mark.mishap("POST /v1/x response_lost attempt=1", api=...) describes.

    Judged after the test; a verdict that is not `pass` is an error of its teardown.
    """
    marker = request.node.get_closest_marker("mishap")
    if marker is None:
        raise pytest.UsageError("mishap_api wants @pytest.mark.mishap(fault, ...) on the test")
    with mishap.run(*marker.args, **{"name": request.node.name[:100], **marker.kwargs}) as run:
        yield run
