"""x"""

from nirls.ir.control_flow import CfNode, FunctionImpl


def sink_stores(impl: FunctionImpl, body: list[CfNode]) -> None:
    pass
