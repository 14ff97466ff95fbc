"""Write po3d/synthesis/multi_view/own_sizes.csv: the sizes of our own shapes in orbit scenes.

    python tools/own_sizes.py

Run this after changing the code of a shape. The table allows laying out scenes without a mesh
library. A row has the depths, widths and heights, in millimetres, of a category's variants in a
split.
"""

import csv
from pathlib import Path

import numpy as np

from po3d.io.files import atomic_write
from po3d.synthesis.multi_view import catalogue as table
from po3d.synthesis.shapes.own_shapes import shape
from po3d.synthesis.splits import OWN_VARIANTS


def main() -> None:
    path = Path(table.__file__).with_name(table.OWN_SIZES)
    with atomic_write(path) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["category", "split", "sizes"])
        for category in table.things():
            if category in table.CATALOGUE_ONLY:
                continue
            for split, variants in OWN_VARIANTS.items():
                sizes = [np.ptp(shape(category, k)[0].vertices, axis=0) for k in variants]
                texts = [" ".join(f"{1000 * side:.0f}" for side in size) for size in sizes]
                rows.writerow([category, split, ";".join(texts)])


if __name__ == "__main__":
    main()
