"""Phone verification for web and mobile front ends: sessions in front of the verification API, and a page for people.

It keeps no codes. A browser never sees the upstream's key, its tokens or its proofs.
"""

from verify_service.application import create_app

__all__ = ["create_app"]
