"""What all tables share: names of constraints, and types of columns. Moments are milliseconds, money is millionths."""

from sqlalchemy import BigInteger, Integer, MetaData, String, Text

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    },
)

# SQLite numbers rows by itself only in a column declared exactly INTEGER.
RowId = BigInteger().with_variant(Integer, "sqlite")
Moment = BigInteger
Money = BigInteger
Identifier = String(48)
PhoneNumber = String(24)
Json = Text
