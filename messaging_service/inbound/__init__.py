"""Step 8: what people write back: whose it is, the inbox, opt-out words, replies, notifications."""
