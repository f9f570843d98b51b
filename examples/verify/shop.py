"""A shop that lets nobody sign up without a proven phone number: its page, and the few lines of its back end.

export DOVECOTE_VERIFY_UPSTREAM_KEY=…          # the key that `dovecote serve` printed
DOVECOTE_VERIFY_SERVICE_KEYS=a-key-for-the-shop DOVECOTE_VERIFY_ORIGINS=http://localhost:8950 dovecote verify
SERVICE_KEY=a-key-for-the-shop python examples/verify/shop.py      # beside it; then open http://localhost:8950
"""

import os
from http import HTTPStatus
from pathlib import Path

import requests
from flask import Flask, Response, jsonify, make_response, request

PAGE = Path(__file__).with_name("index.html")
PURPOSE = "sign-up"
PATIENCE_SECONDS = 10


def create_shop(verify: str, service_key: str) -> Flask:
    """Return the shop; ``verify`` is the address of Dovecote's verification for front ends."""
    shop = Flask("shop")

    @shop.get("/")
    def page() -> str:
        return PAGE.read_text(encoding="utf-8").replace("http://127.0.0.1:8801", verify)

    @shop.post("/sign-up")
    def sign_up() -> Response:
        # The browser only carries the result; what it stands for, the shop asks itself.
        answer = requests.post(
            f"{verify}/results/redeem",
            json={"result": request.get_json().get("result")},
            headers={"X-API-Key": service_key},
            timeout=PATIENCE_SECONDS,
        )
        if answer.status_code != HTTPStatus.OK or answer.json()["purpose"] != PURPOSE:
            return make_response(jsonify({"welcome": None}), 403)
        return jsonify({"welcome": answer.json()["phoneNumber"]})

    return shop


if __name__ == "__main__":
    create_shop(os.environ.get("VERIFY", "http://127.0.0.1:8801"), os.environ["SERVICE_KEY"]).run("localhost", 8950)
