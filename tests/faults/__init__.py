"""Faults on purpose: each call that changes a file killed or failing, power lost, disks full, servers gone. `make faults`."""
