"""What people read afterwards: tables and summaries, as artifacts."""
