"""HTTP only: parse, authenticate, call a step, render. One file a group of resources."""
