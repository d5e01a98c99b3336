"""Figures for Prometheus about a home: releases, queues, deadlines and the ledger; derived when somebody asks, and kept nowhere."""
