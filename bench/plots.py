"""Plots of benches, where matplotlib is at hand."""

from pathlib import Path


def ratios(rows: list[dict], path: Path, title: str):
    """One bar a row: the peer's time over ours, with a line at parity."""
    try:
        import matplotlib
    except ImportError:
        print("no matplotlib: no plot")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [row for row in rows if "ratio" in row]
    if not rows:
        return
    names = [f"{row['case']} {row['shape']} {row['dtype']}" for row in rows]
    values = [row["ratio"] for row in rows]
    figure, axes = plt.subplots(figsize=(9, 0.4 * len(rows) + 1.2))
    colours = ["tab:green" if value >= 1 else "tab:orange" for value in values]
    axes.barh(names, values, color=colours)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.set_xlabel("peer's time / Tesela's time")
    axes.set_title(title, fontsize=9)
    for position, (row, value) in enumerate(zip(rows, values)):
        axes.text(value, position, f" {value:.2f} {row['peer']}",
                  va="center", fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
