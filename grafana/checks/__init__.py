"""Checks dashboards: resolves their variables as Grafana does and executes every query on a store."""
