"""The documented values of the section ``schema``, by the system that has them; a test compares them with the code."""

from __future__ import annotations

from typing import NamedTuple

_SQL = ("PostgreSQL",)
_CITUS = ("Citus",)
_DOCUMENTS = ("MongoDB", "FerretDB", "mongo-java-server")
SHARDED = ("MongoDB sharded",)


class Variant(NamedTuple):
    """One value of one key, what else must be set for it, and the words of a server that lacks it."""

    key: str
    value: str
    systems: tuple[str, ...]
    beside: tuple[str, ...] = ()
    lacks: str = ""


_NOT_DISTRIBUTED = ("schema.shard-count=null", "schema.colocate-with=null", "schema.replication-factor=null")
_DISTRIBUTED = ("schema.distribution=id", "schema.colocate-with=none")
_COMPRESSED = ("schema.document-storage=toast-compressed",)
_PLAIN = ("schema.compression=default",)

VARIANTS = (
    Variant("index", "hash", _SQL),
    Variant("index", "btree", _SQL),
    Variant("document-storage", "toast-compressed", _SQL),
    Variant("document-storage", "toast-uncompressed", _SQL, _PLAIN),
    Variant("document-storage", "no-toast", _SQL, _PLAIN),
    Variant("compression", "default", _SQL),
    Variant("compression", "pglz", _SQL, _COMPRESSED),
    Variant("compression", "lz4", _SQL, _COMPRESSED, lacks="lz4 not supported"),
    Variant("checkpoint-after-load", "true", _SQL),
    Variant("checkpoint-after-load", "false", _SQL),
    Variant("distribution", "none", _CITUS, _NOT_DISTRIBUTED),
    Variant("distribution", "id", _CITUS),
    Variant("distribution", "filter1", _CITUS),
    Variant("shard-count", "4", _CITUS, _DISTRIBUTED),
    Variant("colocate-with", "default", _CITUS),
    Variant("colocate-with", "none", _CITUS),
    Variant("replication-factor", "2", _CITUS, _DISTRIBUTED, lacks="number of worker nodes"),
    Variant("index", "hashed", _DOCUMENTS, lacks="has no hashed indexes"),
    Variant("index", "ascending", _DOCUMENTS),
    Variant("shard-key", "hashed", SHARDED),
    Variant("shard-key", "id-filter1", SHARDED),
    Variant("initial-chunks", "8", SHARDED, ("schema.shard-key=id-filter1",)),
    Variant("wait-for-balancer", "2m", SHARDED),
)
