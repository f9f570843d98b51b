"""A Prefect server over HTTP, as far as one machine needs it. It imports nothing of Prefect, which takes a second."""

import time
import uuid
from datetime import datetime
from http import HTTPStatus
from typing import Any

import httpx

from deployments.problems import CannotRun

_PATIENCE_SECONDS = 10.0
_BUSY_SECONDS = 0.5
_TRIES_WHILE_BUSY = 40
"""A server on SQLite answers 503 while another writer keeps it waiting."""


class PrefectServer:
    """Starts runs of deployments and reads what became of them. Raises CannotRun when it doesn't answer well."""

    def __init__(self, root: str, authorization: str = "") -> None:
        """Use ``authorization``, ``user:password``, where the server asks for one (PREFECT_API_AUTH_STRING)."""
        self.root = root
        user, _, password = authorization.partition(":")
        auth = httpx.BasicAuth(user, password) if authorization else None
        self._http = httpx.Client(base_url=f"{root}/api", timeout=_PATIENCE_SECONDS, trust_env=False, auth=auth)

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

    def deployment_of(self, flow: str, name: str | None) -> str:
        """Return the id of the flow's deployment of this name, or (None) of the only one it has."""
        wanted: dict[str, Any] = {"flows": {"name": {"any_": [flow]}}}
        if name is not None:
            wanted["deployments"] = {"name": {"any_": [name]}}
        found = self._read(self._call("POST", "/deployments/filter", json=wanted))
        if not found:
            called = f"deployment {name!r}" if name else "deployment"
            raise CannotRun(
                f"The Prefect server at {self.root} has no {called} of the flow {flow!r}; start 'dovecote up'."
            )
        if len(found) > 1:
            names = ", ".join(sorted(one["name"] for one in found))
            raise CannotRun(f"The flow {flow!r} has several deployments ({names}); choose one by --deployment.")
        return str(found[0]["id"])

    def artifacts_of(self, run_id: str) -> dict[str, str]:
        """Return the data of what a run has left, by key: Markdown, a number of per cent, or a table as JSON."""
        wanted = {"artifacts": {"flow_run_id": {"any_": [run_id]}}, "sort": "CREATED_DESC"}
        found = self._read(self._call("POST", "/artifacts/filter", json=wanted))
        # Prefect itself leaves some without a key.
        return {one["key"]: str(one["data"]) for one in reversed(found) if one["key"]}

    def start_run(self, deployment_id: str, parameters: dict[str, Any]) -> str:
        """Start a run and return its id."""
        path = f"/deployments/{deployment_id}/create_flow_run"
        # With a key of its own: a call that is repeated starts no second run.
        wanted = {"parameters": parameters, "idempotency_key": uuid.uuid4().hex}
        return str(self._read(self._call("POST", path, json=wanted))["id"])

    def state_of(self, run_id: str) -> tuple[str, str]:
        """Return a run's type of state (``COMPLETED``, ``FAILED``, …) and what it says."""
        state = self._read(self._call("GET", f"/flow_runs/{run_id}"))["state"]
        return str(state["type"]), str(state["message"] or "")

    def cancel_waiting(self, tag: str, flow: str, name: str) -> int:
        """Cancel the campaign's runs with this tag that haven't begun, and the flow's that wait.

        These wait for their time, for a process, or for an answer.
        """
        scheduled = {"flow_runs": {"tags": {"all_": [tag]}, "state": {"type": {"any_": ["SCHEDULED"]}}}}
        paused = {
            "flows": {"name": {"any_": [flow]}},
            "flow_runs": {"name": {"any_": [name]}, "state": {"type": {"any_": ["PAUSED"]}}},
        }
        to_begin = {
            "flows": {"name": {"any_": [flow]}},
            "flow_runs": {"state": {"type": {"any_": ["SCHEDULED", "PENDING"]}}},
        }
        # Names that differ may have the same tag; a wave's run has the name in full.
        found = [run for run in self._runs(scheduled) if run["parameters"].get("campaign") == name]
        found += self._runs(paused)
        # A run takes its campaign's name when it begins; until then only its parameters have it.
        found += [run for run in self._runs(to_begin) if run["parameters"].get("campaign", {}).get("name") == name]
        cancelled = {"state": {"type": "CANCELLED", "message": "The campaign was cancelled."}, "force": True}
        for run in found:
            self._read(self._call("POST", f"/flow_runs/{run['id']}/set_state", json=cancelled))
        return len(found)

    def _runs(self, wanted: dict[str, Any]) -> list[dict[str, Any]]:
        return list(self._read(self._call("POST", "/flow_runs/filter", json=wanted)))

    def artifact(self, key: str) -> str:
        """Return the data of the newest artifact of this key: Markdown, or a table as JSON."""
        return str(self._read(self._call("GET", f"/artifacts/{key}/latest"))["data"])

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _call(self, method: str, path: str, json: object = None) -> httpx.Response:
        try:
            for _ in range(_TRIES_WHILE_BUSY):
                answer = self._http.request(method, path, json=json)
                if answer.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
                    break
                time.sleep(_BUSY_SECONDS)
        except httpx.TransportError as error:
            raise CannotRun(f"The Prefect server at {self.root} doesn't answer ({type(error).__name__}).") from error
        return answer

    def _read(self, answer: httpx.Response) -> Any:  # noqa: ANN401 - JSON
        if answer.is_error:
            raise CannotRun(f"The Prefect server at {self.root} refused a call ({answer.status_code}): {answer.text}")
        return answer.json()
