"""A Prefect server over HTTP, as far as one machine needs it. It imports nothing of Prefect, which takes a second."""

from datetime import datetime
from http import HTTPStatus
from typing import Any

import httpx

from deployments.problems import CannotRun

_PATIENCE_SECONDS = 10.0


class PrefectServer:
    """Starts runs of deployments and reads what became of them. Raises CannotRun when it doesn't answer well."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._http = httpx.Client(base_url=f"{root}/api", timeout=_PATIENCE_SECONDS, trust_env=False)

    def is_ready(self) -> bool:
        """Whether it answers calls."""
        try:
            return self._http.get("/ready").status_code == HTTPStatus.OK
        except httpx.TransportError:
            return False

    def deployment_since(self, name: str, since: datetime) -> str | None:
        """Return the id of the deployment ``flow/deployment`` once it was written after ``since``."""
        answer = self._call("GET", f"/deployments/name/{name}")
        if answer.status_code == HTTPStatus.NOT_FOUND:
            return None
        deployment = self._read(answer)
        return str(deployment["id"]) if datetime.fromisoformat(deployment["updated"]) >= since else None

    def start_run(self, deployment_id: str, parameters: dict[str, Any]) -> str:
        """Start a run and return its id."""
        path = f"/deployments/{deployment_id}/create_flow_run"
        return str(self._read(self._call("POST", path, json={"parameters": parameters}))["id"])

    def state_of(self, run_id: str) -> tuple[str, str]:
        """Return a run's type of state (``COMPLETED``, ``FAILED``, …) and what it says."""
        state = self._read(self._call("GET", f"/flow_runs/{run_id}"))["state"]
        return str(state["type"]), str(state["message"] or "")

    def artifact(self, key: str) -> str:
        """Return the data of the newest artifact of this key: Markdown, or a table as JSON."""
        return str(self._read(self._call("GET", f"/artifacts/{key}/latest"))["data"])

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _call(self, method: str, path: str, json: object = None) -> httpx.Response:
        try:
            return self._http.request(method, path, json=json)
        except httpx.TransportError as error:
            raise CannotRun(f"The Prefect server at {self.root} doesn't answer ({type(error).__name__}).") from error

    def _read(self, answer: httpx.Response) -> Any:  # noqa: ANN401 - JSON
        if answer.is_error:
            raise CannotRun(f"The Prefect server at {self.root} refused a call ({answer.status_code}): {answer.text}")
        return answer.json()
