"""Skip the work of a control shader for patches that are culled."""
