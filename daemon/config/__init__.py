"""config: reading what people write (TOML, YAML, secrets), with every fault named at once."""
