"""Run ``send_campaign`` as a process of its own, with its parameters as JSON, so that a test can kill it."""

import asyncio
import sys

from flows.campaign import send_campaign
from flows.parameters import Campaign

if __name__ == "__main__":
    asyncio.run(send_campaign(Campaign.model_validate_json(sys.argv[1])))
