"""Draws dashboards with the answers of a real store, as Grafana would. It is not Grafana: details differ."""
