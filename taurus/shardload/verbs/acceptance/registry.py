"""All checks, in the order in which they run. A new one is one line here and one function."""

from __future__ import annotations

from shardload.verbs.acceptance import failover, loads, refusals, services, tables
from shardload.verbs.acceptance.model import Check

CHECKS = (
    Check("target", "the servers answer in their own protocol", tables.check_target),
    Check(
        "tables", "the rights are enough to make the tables as the target file says", tables.check_tables, ("target",)
    ),
    Check("refusal-password", "a wrong password is refused", refusals.check_password, ("tables",)),
    Check(
        "refusal-topology", "a cluster of another kind than asked for is refused", refusals.check_topology, ("tables",)
    ),
    Check("refusal-option", "an unknown option is refused, of target and schema", refusals.check_option, ("tables",)),
    Check("refusal-value", "an unknown value is refused, with those that are known", refusals.check_value, ("tables",)),
    *tables.schema_checks(),
    Check(
        "load", "the documents are loaded as the target file says", tables.check_load, ("tables",), limit_seconds=600
    ),
    Check("refusal-data", "a data set that was made otherwise is refused", refusals.check_other_data, ("load",)),
    Check("refusal-foreign", "a table that is not shardload's is not touched", refusals.check_foreign),
    Check("run", "30 s of load, every document verified, verdict ok", loads.check_run, ("load",), limit_seconds=300),
    Check("explain", "the server says which index each transaction uses", loads.check_evidence, ("load",), ("run",)),
    Check(
        "rights",
        "the documented rights are enough for schema, load, run and verification",
        loads.check_rights,
        ("load",),
        ("run",),
    ),
    Check("monitoring", "the documented rights are enough for server-metrics", loads.check_monitoring, ("target",)),
    Check(
        "verification",
        "every document is read again and is as it has to be",
        loads.check_verification,
        ("load",),
        ("run",),
    ),
    Check(
        "unsettled",
        "a run killed in mid-load leaves data that are refused until verified",
        loads.check_unsettled,
        ("load",),
    ),
    Check(
        "failover",
        "after a failover in mid-load writes go on, and losses are named",
        failover.check_failover,
        ("load",),
        limit_seconds=420,
    ),
    Check(
        "statements",
        "statements from files work, and several of them as one transaction",
        tables.check_statements,
        ("load",),
        limit_seconds=300,
    ),
    Check(
        "parity",
        "every answer is the same as that of a database that shardload brings along",
        loads.check_parity,
        ("target",),
    ),
    Check(
        "jenkins-plugins",
        "the Jenkins has the plugins of jenkins/plugins.txt",
        services.check_plugins,
        limit_seconds=60,
    ),
    Check("jenkins-jobs", "the Jenkins has a job for each target", services.check_jobs, limit_seconds=60),
    Check("grafana", "the Grafana has a healthy store and all dashboards", services.check_grafana, limit_seconds=120),
)
