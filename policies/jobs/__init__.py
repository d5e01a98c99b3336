"""Every table that a release or advice tries is a job: what a job asks, where its columns lie, and what runs many of them."""
