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


def roofline(rows: list[dict], path: Path, title: str):
    """Rates over intensity, below the ceilings that the same run measured."""
    try:
        import matplotlib
    except ImportError:
        print("no matplotlib: no plot")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    points = {}
    bandwidth, peak = 0.0, 0.0
    for row in rows:
        if row.get("peer") == "copy":
            bandwidth = max(bandwidth, row["peer_gbps"])
        if row.get("peer") == "cublas" and row["dtype"] == "float16":
            peak = max(peak, row.get("peer_tflops", 0))
        if row.get("tesela_ms") and row.get("tflops"):
            points[row["case"], row["shape"]] = (
                row["flops_per_byte"], row["tflops"], row["peer"])
    if not points or not bandwidth or not peak:
        return
    figure, axes = plt.subplots(figsize=(9, 6))
    lowest = min(x for x, _, _ in points.values()) / 2
    highest = max(x for x, _, _ in points.values()) * 2
    knee = peak * 1e3 / bandwidth
    xs = sorted([min(lowest, knee / 4), knee, highest])
    axes.plot(xs, [min(peak, x * bandwidth / 1e3) for x in xs], color="black")
    cases = sorted({case for case, _ in points})
    for case in cases:
        chosen = [p for (name, _), p in points.items() if name == case]
        axes.scatter([p[0] for p in chosen], [p[1] for p in chosen],
                     label=case, s=24)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("FLOP / byte of inputs and outputs")
    axes.set_ylabel("TFLOPS")
    axes.set_title(f"{title}\ncopy {bandwidth:.0f} GB/s, cuBLAS fp16 "
                   f"{peak:.0f} TFLOPS", fontsize=9)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def cpu_roofline(rows: list[dict], path: Path, title: str):
    """Rates over intensity of the CPU's rows, below the machine's peaks: a line
    for one thread and one for all."""
    try:
        import matplotlib
    except ImportError:
        print("no matplotlib: no plot")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    roofs = {}
    for row in rows:
        for case, rate in (("peak_fma", "gflops"), ("peak_copy", "gbps")):
            if row["case"] == case:
                roofs.setdefault(row["shape"], {})[case] = row[rate]
    points = [row for row in rows if "flops_per_byte" in row
              and row["case"] != "scaling"]
    if not points or not roofs:
        return
    figure, axes = plt.subplots(figsize=(9, 6))
    intensities = [row["flops_per_byte"] for row in points]
    ends = min(intensities) / 2, max(intensities) * 2
    for shape, roof in roofs.items():
        knee = roof["peak_fma"] / roof["peak_copy"]
        xs = sorted([min(ends[0], knee / 2), knee, max(ends[1], 2 * knee)])
        axes.plot(xs, [min(roof["peak_fma"], x * roof["peak_copy"])
                       for x in xs], linewidth=1,
                  label=f"{shape}: {roof['peak_fma']:.0f} GF/s, "
                        f"{roof['peak_copy']:.0f} GB/s")
    for number, case in enumerate(sorted({row["case"] for row in points})):
        chosen = [row for row in points if row["case"] == case]
        axes.scatter([row["flops_per_byte"] for row in chosen],
                     [row["gflops"] for row in chosen], s=24, label=case,
                     marker="osv^D*P"[number // 10 % 7])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("flops / byte of inputs and outputs")
    axes.set_ylabel("GF/s")
    axes.set_title(title, fontsize=9)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.tight_layout()
    figure.savefig(path, dpi=120)
