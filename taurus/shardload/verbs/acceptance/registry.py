"""All checks, in the order in which they run. A new one is one line here and one function."""

from __future__ import annotations

from shardload.verbs.acceptance import failover, loads, refusals, services, tables
from shardload.verbs.acceptance.model import Check

# What a check needs: servers, tables, documents; and a run, passed or not.
_SERVERS, _TABLES, _DATA, _RUN = ("target",), ("tables",), ("load",), ("run",)
_RIGHTS = "the documented rights are enough for "
_UNSETTLED = "a run that is killed during the load leaves data that is refused until it is verified"

CHECKS = (
    Check("target", "the servers answer in the target's protocol", tables.check_target),
    Check("tables", f"{_RIGHTS}making the tables as the target file says", tables.check_tables, _SERVERS),
    Check("refusal-password", "a wrong password is refused", refusals.check_password, _TABLES),
    Check("refusal-topology", "another kind of cluster than configured is refused", refusals.check_topology, _TABLES),
    Check("refusal-option", "an unknown option is refused, of target and schema", refusals.check_option, _TABLES),
    Check("refusal-value", "an unknown value is refused with the known ones", refusals.check_value, _TABLES),
    *tables.schema_checks(),
    Check("load", "the documents are loaded as the target file says", tables.check_load, _TABLES),
    Check("refusal-data", "a data set with other parameters is refused", refusals.check_other_data, _DATA),
    Check("refusal-foreign", "a table that is not shardload's is not touched", refusals.check_foreign),
    Check("run", "30 s of load, every document verified, verdict ok", loads.check_run, _DATA),
    Check("explain", "the server reports which index each transaction uses", loads.check_evidence, _DATA, _RUN),
    Check("rights", f"{_RIGHTS}schema, load, run and verification", loads.check_rights, _DATA, _RUN),
    Check("monitoring", f"{_RIGHTS}server-metrics", loads.check_monitoring, _SERVERS),
    Check("verification", "every document is read and has its content", loads.check_verification, _DATA, _RUN),
    Check("unsettled", _UNSETTLED, loads.check_unsettled, _DATA),
    Check("failover", "writes go on after a failover, and losses are reported", failover.check_failover, _DATA),
    Check("statements", "statements from files, and several as one transaction", tables.check_statements, _DATA),
    Check("parity", "every answer equals that of the embedded database", loads.check_parity, _SERVERS),
    Check("jenkins-plugins", "the Jenkins has the plugins of jenkins/plugins.txt", services.check_plugins),
    Check("jenkins-jobs", "the Jenkins has a job for each target", services.check_jobs),
    Check("grafana", "the Grafana has a healthy store and all dashboards", services.check_grafana),
)
