"""E-mails: written with what they tell, sent by the worker, tried again for two days."""
