"""Tables, plots and pages of finished runs."""
