"""Step 7: tells accounts what became of their messages: an outbox, batched, signed, retried, replayed."""
