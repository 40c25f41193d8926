"""The Grafana dashboards as code: one module per dashboard, written as JSON to ``grafana/dashboards``."""
