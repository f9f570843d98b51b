"""HTTP only: read, call a step, render. One file for each kind of caller."""
