"""The optimization of varyings between two stages (Mesa: nir_opt_varyings)."""
