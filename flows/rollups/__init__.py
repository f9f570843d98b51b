"""Statistics of dates: fetched, kept, added up, judged."""
