"""Short links (details, ``params._url``): found in texts, replaced before parts are counted, followed, counted."""
