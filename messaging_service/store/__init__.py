"""The store: tables, migrations, and one module of named queries an aggregate."""
