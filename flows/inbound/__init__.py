"""What people write back: told apart, followed, handed on."""
