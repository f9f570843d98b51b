"""Steps 4 and 5: phase 2 decides and charges a batch in one transaction, then hands it to the channels."""
