"""Wires everything: the only place that knows all parts."""

import time
from contextlib import ExitStack

from flask import Flask, Response, g, request

from verify_service import failures, headers, logs, measures
from verify_service.binding import Binding
from verify_service.bodies import READ_AT_MOST
from verify_service.checking import Checking
from verify_service.database import Clock, open_store
from verify_service.housekeeping import Housekeeping
from verify_service.limits import Limits
from verify_service.origins import Origins
from verify_service.proofs import ProofRules, Proofs
from verify_service.results import Results
from verify_service.sending import Sending
from verify_service.settings import Settings, read_settings
from verify_service.signing_key import signing_keys
from verify_service.tokens import Tokens
from verify_service.upstream.client import Upstream
from verify_service.views import back_end, browser, operations, page

TO_CLOSE = "dovecote-verify"
"""The application's extension that gives its connections back when it is closed (``ExitStack``)."""


def create_app(settings: Settings | None = None, now: Clock = time.time) -> Flask:
    """Return the application; without ``settings`` they are read from the environment, those of the logs too.

    Raises WrongSettings, NewerSchema, ValueError.
    """
    if settings is None:
        settings = read_settings()
        logs.configure(settings.log_format, settings.log_level)
    app = Flask("verify_service", static_folder=None)
    app.json.sort_keys = app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.config["MAX_CONTENT_LENGTH"] = READ_AT_MOST
    _time_calls(app)
    failures.install(app)
    _mount(app, settings, now)
    headers.install(app, settings)
    return app


def _mount(app: Flask, settings: Settings, now: Clock) -> None:
    tokens, store, origins = Tokens(signing_keys(settings)), open_store(settings.database), Origins(settings)
    upstream = Upstream(settings)
    sending, checking = Sending(settings, store, upstream, now), Checking(settings, store, upstream, now)
    binding = Binding(tokens, plain_cookie=settings.plain_cookie)
    results, limits = Results(store, settings.clock_tolerance, now), Limits(store, now)
    proofs = Proofs(_proof_rules(settings), store, now)
    origins.install(app, "/sessions")
    browsers = browser.Browsers(settings, sending, checking, tokens, binding, origins, limits, now)
    app.register_blueprint(browser.blueprint(browsers))
    app.register_blueprint(back_end.blueprint(back_end.BackEnds(settings, tokens, results, proofs, origins)))
    app.register_blueprint(operations.blueprint(settings, store))
    app.register_blueprint(page.blueprint(origins))
    housekeeping = Housekeeping(store, now)
    app.teardown_request(lambda _error: housekeeping.run_if_due())
    to_close = ExitStack()
    to_close.callback(upstream.close)
    to_close.callback(store.close)
    app.extensions[TO_CLOSE] = to_close


def _proof_rules(settings: Settings) -> ProofRules:
    secrets = tuple(secret.get_secret_value() for secret in settings.proof_secrets)
    return ProofRules(secrets, settings.proof_life, settings.clock_tolerance)


def _time_calls(app: Flask) -> None:
    @app.before_request
    def begin() -> None:
        g.begun = time.perf_counter()

    @app.after_request
    def count(response: Response) -> Response:
        measures.answered(request.endpoint or "other", response.status_code, time.perf_counter() - g.begun)
        return response
