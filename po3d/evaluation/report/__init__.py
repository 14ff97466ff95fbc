"""Tables, plots and HTML pages of finished runs."""
