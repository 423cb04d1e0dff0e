"""`python -m marquetry_sdk build pack.py -o pack.wasm`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .build import BuildError, build


def main() -> int:
    parser = argparse.ArgumentParser(prog="marquetry-sdk", description="Makes a component of a pack.")
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("build", help="make a component")
    making.add_argument("source", type=Path, help="the module with `pack = Pack(…)`")
    making.add_argument("-o", "--output", type=Path, help="where the component goes; beside the module unless given")
    args = parser.parse_args()
    try:
        print(build(args.source, args.output or args.source.with_suffix(".wasm")))
    except (BuildError, OSError) as error:
        print(f"marquetry: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
