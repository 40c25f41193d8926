"""All checks, in the order in which they run. A new one is one line here and one function."""

from __future__ import annotations

from shardload.verbs.acceptance import failover, loads, refusals, services, tables
from shardload.verbs.acceptance.model import Check

CHECKS = (
    Check("target", "the servers answer in the target's protocol", tables.check_target),
    Check(
        "tables", "the rights are enough to make the tables as the target file says", tables.check_tables, ("target",)
    ),
    Check("refusal-password", "a wrong password is refused", refusals.check_password, ("tables",)),
    Check(
        "refusal-topology",
        "a cluster of a different kind than configured is refused",
        refusals.check_topology,
        ("tables",),
    ),
    Check("refusal-option", "an unknown option is refused, of target and schema", refusals.check_option, ("tables",)),
    Check(
        "refusal-value",
        "an unknown value is refused, and the message lists the known values",
        refusals.check_value,
        ("tables",),
    ),
    *tables.schema_checks(),
    Check(
        "load", "the documents are loaded as the target file says", tables.check_load, ("tables",), limit_seconds=600
    ),
    Check("refusal-data", "a data set with other parameters is refused", refusals.check_other_data, ("load",)),
    Check("refusal-foreign", "a table that is not shardload's is not touched", refusals.check_foreign),
    Check("run", "30 s of load, every document verified, verdict ok", loads.check_run, ("load",), limit_seconds=300),
    Check("explain", "the server reports which index each transaction uses", loads.check_evidence, ("load",), ("run",)),
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
        "every document is read again and has the expected content",
        loads.check_verification,
        ("load",),
        ("run",),
    ),
    Check(
        "unsettled",
        "a run that is killed during the load leaves data that is refused until it is verified",
        loads.check_unsettled,
        ("load",),
    ),
    Check(
        "failover",
        "after a failover during the load writes continue, and losses are reported",
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
        "every answer equals that of the embedded database",
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
