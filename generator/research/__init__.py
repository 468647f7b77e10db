"""Research: prepare, extract, compose and verify pages. Stages are independent and pass values of the model."""
