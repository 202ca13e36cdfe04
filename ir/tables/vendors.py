"""Vendors of driver intrinsics, by the suffix of the name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

VENDORS: Mapping[str, str] = MappingProxyType(
    {
        "amd": "AMD hardware",
        "agx": "Apple hardware",
        "arm": "Arm hardware",
        "brcm": "VideoCore hardware",
        "dxil": "the DXIL back end",
        "etna": "Vivante hardware",
        "intel": "Intel hardware",
        "ir3": "Adreno hardware",
        "kk": "the Metal driver",
        "lvp": "the software rasterizer",
        "nv": "NVIDIA hardware",
        "pan": "Mali hardware",
        "pco": "PowerVR hardware",
        "poly": "the geometry emulation library",
        "r600": "Radeon R600 hardware",
        "v3d": "VideoCore hardware",
        "zink": "the GL on Vulkan driver",
    }
)


def vendor_of(intrinsic_name: str) -> str:
    """Return the vendor of a driver intrinsic; "" for other intrinsics.

    >>> vendor_of("load_shared2_amd")
    'AMD hardware'
    """
    return VENDORS.get(intrinsic_name.rpartition("_")[2], "")
