from __future__ import annotations

import pytest

from tools.libnir.build import VERSION, mesa_folder
from tools.libnir.passes import TABLE, rows_of, table_of

HEADER = """
/* bool nir_opt_old(nir_shader *shader); */
bool nir_opt_dce(nir_shader *shader);
bool nir_lower_doubles(nir_shader *shader, const nir_shader *softfp64,
                       nir_lower_doubles_options options);
void nir_lower_io_arrays_to_elements(nir_shader *producer, nir_shader *consumer);
bool nir_lower_calls(nir_shader *shader, void (*callback)(int));
unsigned nir_opt_count(nir_shader *shader);
void nir_print_shader(nir_shader *shader, FILE *fp);
"""


def test_passes_of_one_shader_are_taken() -> None:
    assert list(rows_of(HEADER)) == [
        "nir_lower_doubles | bool | const nir_shader *softfp64, nir_lower_doubles_options options",
        "nir_opt_dce | bool |",
    ]


def test_the_table_is_that_of_the_header() -> None:
    header = mesa_folder() / f"mesa-{VERSION}" / "src" / "compiler" / "nir" / "nir.h"
    if not header.is_file():
        pytest.skip("needs the source of Mesa, which make mesa unpacks")
    assert TABLE.read_text() == table_of(header.read_text(), VERSION.rpartition(".")[0])
