"""Draws dashboards with the answers of a real store. It is a preview of what Grafana would show, not Grafana."""
