"""The documented values of the section ``schema``, by the system that has them; a test compares them with the code."""

from __future__ import annotations

from typing import NamedTuple

SQL = ("PostgreSQL",)
CITUS = ("Citus",)
DOCUMENTS = ("MongoDB", "FerretDB", "mongo-java-server")
SHARDED = ("MongoDB sharded",)


class Variant(NamedTuple):
    """One value of one key, what else must be set for it, and the words of a server that lacks it."""

    key: str
    value: str
    systems: tuple[str, ...]
    beside: tuple[str, ...] = ()
    lacks: str = ""

    @property
    def name(self) -> str:
        """The name of its check."""
        return f"schema-{self.key}-{self.value}"

    @property
    def overrides(self) -> list[str]:
        """What makes the variant of any target file."""
        return [*self.beside, f"schema.{self.key}={self.value}"]


_NOT_DISTRIBUTED = ("schema.shard-count=null", "schema.colocate-with=null", "schema.replication-factor=null")
_DISTRIBUTED = ("schema.distribution=id", "schema.colocate-with=none")
_COMPRESSED = ("schema.document-storage=toast-compressed",)
_PLAIN = ("schema.compression=default",)

# Keys whose values name things of one cluster: the target file sets them, and every check uses it.
OF_ONE_CLUSTER = {
    "zones": ("its values name shards of one cluster; set it in the target file, then every check uses it", SHARDED),
}

VARIANTS = (
    Variant("index", "hash", SQL),
    Variant("index", "btree", SQL),
    Variant("document-storage", "toast-compressed", SQL),
    Variant("document-storage", "toast-uncompressed", SQL, _PLAIN),
    Variant("document-storage", "no-toast", SQL, _PLAIN),
    Variant("compression", "default", SQL),
    Variant("compression", "pglz", SQL, _COMPRESSED),
    Variant("compression", "lz4", SQL, _COMPRESSED, lacks="built without lz4"),
    Variant("checkpoint-after-load", "true", SQL),
    Variant("checkpoint-after-load", "false", SQL),
    Variant("distribution", "none", CITUS, _NOT_DISTRIBUTED),
    Variant("distribution", "id", CITUS),
    Variant("distribution", "filter1", CITUS),
    Variant("shard-count", "4", CITUS, _DISTRIBUTED),
    Variant("colocate-with", "default", CITUS),
    Variant("colocate-with", "none", CITUS),
    Variant("replication-factor", "2", CITUS, _DISTRIBUTED, lacks="number of worker nodes"),
    Variant("index", "hashed", DOCUMENTS, lacks="has no hashed indexes"),
    Variant("index", "ascending", DOCUMENTS),
    Variant("shard-key", "hashed", SHARDED),
    Variant("shard-key", "id-filter1", SHARDED),
    Variant("initial-chunks", "8", SHARDED, ("schema.shard-key=id-filter1",)),
    Variant("wait-for-balancer", "2m", SHARDED),
)


def system_of(server: str, topology: str) -> str:
    """Return the words by which checks know a server: what it calls itself and what the target says of it.

    ``PostgreSQL 15.20, Citus 12.1.12`` is both; ``MongoDB 8.0.4`` behind a router is ``MongoDB sharded`` too.
    """
    product = server.split(" ")[0]
    return f"{server}; {product} {topology}" if topology else server
