"""What every process of the service needs, imported once: the processes beside the first are forked from it."""

import gc

import messaging_service.serve

__all__ = ["messaging_service"]

gc.collect()
gc.freeze()  # the collector leaves these objects alone, so that their pages stay shared
