"""A small client of a Jupyter server: opens a notebook and runs code in a kernel."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
import uuid
from contextlib import closing
from dataclasses import dataclass
from typing import Any, cast

from tlcourse.diagnostics import TLError, error

REQUEST_LIMIT_S = 30


@dataclass(frozen=True, kw_only=True)
class LabClient:
    """Talks to the server on `port` of this machine, with `token`."""

    port: int
    token: str

    def is_up(self) -> bool:
        """Whether the server answers and serves the JupyterLab page."""
        try:
            self.request("GET", "/api/status")
            self.request("GET", "/lab")
        except (OSError, urllib.error.URLError):
            return False
        return True

    def first_code_cell(self, path: str) -> str:
        """The source of the first code cell of a notebook that the server gives out.

        Raises:
            TL708: the server does not give the notebook out, or it has no code cell.
        """
        try:
            model = json.loads(self.request("GET", f"/api/contents/{path}"))
        except OSError as problem:
            raise _not_opened(path, str(problem)) from problem
        for cell in model["content"]["cells"]:
            if cell["cell_type"] == "code":
                return str(cell["source"])
        raise _not_opened(path, "it has no code cell")

    def run_code(self, code: str, *, limit_s: float) -> None:
        """Runs code in a new kernel and shuts the kernel down.

        Raises:
            TL709: the code raised an error, or gave no reply within `limit_s` seconds.
        """
        kernel = json.loads(self.request("POST", "/api/kernels", {}))["id"]
        try:
            reply = self._execute(kernel, code, time.monotonic() + limit_s)
        except TimeoutError as problem:
            raise _not_run(f"the kernel gave no reply within {limit_s:g} s") from problem
        finally:
            self.request("DELETE", f"/api/kernels/{kernel}")
        if reply["status"] != "ok":
            text = f"{reply.get('ename')}: {reply.get('evalue')}"
            raise _not_run(text)

    def shut_down(self) -> None:
        """Asks the server to stop."""
        self.request("POST", "/api/shutdown", {})

    def _execute(self, kernel: str, code: str, end: float) -> dict[str, Any]:
        """The content of the execute_reply to one execute_request; waits until `end`."""
        from websocket import WebSocketConnectionClosedException, WebSocketTimeoutException
        from websocket import create_connection as connect

        url = f"ws://127.0.0.1:{self.port}/api/kernels/{kernel}/channels?token={self.token}"
        request = _execute_request(code)
        # No proxy: the server is on this machine.
        with closing(connect(url, REQUEST_LIMIT_S, http_no_proxy=["127.0.0.1"])) as socket:
            socket.send(json.dumps(request))
            while True:
                try:
                    message = _next_message(socket, end)
                except WebSocketTimeoutException as problem:
                    raise TimeoutError from problem
                except WebSocketConnectionClosedException:
                    return {"status": "error", "ename": "the kernel's connection", "evalue": "shut"}
                if _is_reply(message, request):
                    return cast("dict[str, Any]", message["content"])

    def request(self, method: str, path: str, body: dict[str, Any] | None = None) -> str:
        """The body of the server's answer.

        Raises:
            OSError: the server cannot be reached, or answers with an error.
        """
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {self.token}"},
        )
        # No proxy: the server is on this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=REQUEST_LIMIT_S) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as problem:
            problem.close()
            raise


def _next_message(socket: Any, end: float) -> dict[str, Any]:
    left_s = end - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    socket.settimeout(left_s)
    return json.loads(socket.recv())


def _execute_request(code: str) -> dict[str, Any]:
    header: dict[str, Any] = {
        "msg_id": uuid.uuid4().hex,
        "msg_type": "execute_request",
        "session": uuid.uuid4().hex,
        "username": "tlcourse",
        "version": "5.3",
        "date": "",
    }
    content: dict[str, Any] = {
        "code": code,
        "silent": False,
        "store_history": False,
        "user_expressions": {},
        "allow_stdin": False,
        "stop_on_error": True,
    }
    rest: dict[str, Any] = {"channel": "shell", "parent_header": {}, "metadata": {}, "buffers": []}
    return {"header": header, "content": content, **rest}


def _is_reply(message: dict[str, Any], request: dict[str, Any]) -> bool:
    if message["header"]["msg_type"] != "execute_reply":
        return False
    return message["parent_header"].get("msg_id") == request["header"]["msg_id"]


def _not_opened(path: str, cause: str) -> TLError:
    return error(
        "TL708",
        f"the server does not give {path} out: {cause}",
        why="the working copy must hold the notebook, and the server must be able to read it",
        fix="run `tlcourse build --check`, then `tlcourse lab --check` again",
    )


def _not_run(cause: str) -> TLError:
    return error(
        "TL709",
        f"the notebook's first cell did not run: {cause}",
        why="a kernel of this Python must start and import the course's packages",
        fix="run `tlcourse doctor`",
    )
