"""The page that approvers read: its content, how it is told, and what regulators call it."""
