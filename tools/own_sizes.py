"""Write po3d/synthesis/multi_view/own_sizes.csv: the sizes of our own shapes in orbit scenes, by name.

    python tools/own_sizes.py

Run this after changing the code of a shape. The table allows laying out scenes without a mesh
library.
"""

import csv
from pathlib import Path

import numpy as np

from po3d.io.files import atomic_write
from po3d.synthesis.multi_view import catalogue as table
from po3d.synthesis.shapes.own_shapes import shape
from po3d.synthesis.splits import OWN_VARIANTS, own_name


def main() -> None:
    path = Path(table.__file__).with_name(table.OWN_SIZES)
    with atomic_write(path) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["name", "depth", "width", "height"])
        for category in table.things():
            if category in table.CATALOGUE_ONLY:
                continue
            for variants in OWN_VARIANTS.values():
                for k in variants:
                    size = np.ptp(shape(category, k)[0].vertices, axis=0)
                    rows.writerow([own_name(category, k), *(f"{side:.3f}" for side in size)])


if __name__ == "__main__":
    main()
