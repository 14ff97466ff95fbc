"""Who answers: one module a kind of benchmark; `pipeline` is the page to read first."""
