import { describe, expect, it } from "vitest";
import { layOutUsage } from "./chart.server";
import { addFigures, type DetailedUsage, figuresOf, NO_SUMS, type UsageSums } from "./figures.shared";
import type { UsageMetric } from "./usage.shared";

/** A report over two days whose parts are those of "a", "b" and the rest. */
function report(parts: Partial<UsageSums>[][]): DetailedUsage {
  const filled = parts.map((row) => row.map((sums) => ({ ...NO_SUMS, ...sums })));
  const figures = figuresOf(NO_SUMS);
  return {
    scope: "organization",
    unit: "day",
    from: "2026-03-28",
    to: "2026-03-29",
    totals: figures,
    groups: [
      { key: "a", label: "Model A", ...figures },
      { key: "b", label: "Model B", ...figures },
    ],
    points: filled.map((row, at) => ({ at: `2026-03-${28 + at}`, ...figuresOf(addFigures(row)) })),
    shown: ["a", "b"],
    colors: [3, 0],
    parts: filled,
  };
}
const layOut = (metric: UsageMetric, parts: Partial<UsageSums>[][]) =>
  layOutUsage(report(parts), { by: "model", metric, range: "30d" }, "UTC");

describe("a chart", () => {
  it("stacks the parts of each day and omits zeros", () => {
    const chart = layOut("requests", [
      [{ requests: 30 }, { requests: 10 }, {}],
      [{}, { requests: 20 }, {}],
    ]);
    expect(chart).toMatchObject({ kind: "bars", height: 208 });
    expect(chart.series).toEqual([
      { name: "Model A", color: 3, to: "/usage?by=person&metric=requests&model=a" },
      { name: "Model B", color: 0, to: "/usage?by=person&metric=requests&model=b" },
    ]);
    expect(chart.ticks.map(({ value }) => value)).toEqual([0, 10, 20, 30, 40]);
    expect(chart.ticks[0]?.y).toBe(chart.height);
    expect(chart.paths.map((path) => path.match(/M/g)?.length)).toEqual([1, 2]);
    // The second series stands on the first: from 30 up to 40, where the axis ends.
    const y = (value: number) => chart.ticks.find((tick) => tick.value === value)?.y;
    expect(chart.paths[0]).toContain(` ${y(30)}h`);
    expect(chart.paths[1]).toContain(` ${y(40)}h`);
    expect(chart.points.map(({ label, total, values }) => [label, total, values])).toEqual([
      ["Mar 28", 40, [30, 10]],
      ["Mar 29", 20, [0, 20]],
    ]);
  });

  it("labels the rest beyond the largest groups", () => {
    const chart = layOut("spend", [
      [{}, {}, {}],
      [{ costMicros: 5 }, {}, { costMicros: 7, requests: 1 }],
    ]);
    expect(chart.series.map(({ name }) => name)).toEqual(["Model A", "Model B", "Other"]);
    expect(chart.points[1]?.values).toEqual([5, 0, 7]);
  });

  it("draws averages as lines with gaps for missing values", () => {
    const measured = { requests: 1, firstTokens: 2, firstTokenMs: 600 };
    const chart = layOut("first-token", [
      [{}, {}, {}],
      [measured, {}, {}],
    ]);
    expect(chart).toMatchObject({ kind: "lines" });
    expect(chart.points.map(({ total, values }) => [total, values])).toEqual([
      [null, [null, null]],
      [300, [300, null]],
    ]);
    expect(chart.dots[0]).toMatch(/^M[\d.]+ [\d.]+h0$/);
    expect([chart.dots[1], chart.paths[1]]).toEqual(["", ""]);
  });

  it("has an axis even if every value is zero", () => {
    expect(
      layOut("errors", [
        [{}, {}, {}],
        [{}, {}, {}],
      ]).ticks.map(({ value }) => value),
    ).toEqual([0, 1, 2, 3, 4]);
  });

  it("leads from a day to its hours", () => {
    const { points } = layOut("errors", [[{}, {}, {}]]);
    expect(points[0]?.to).toBe("/usage?metric=errors&range=custom&from=2026-03-28&to=2026-03-28");
  });

  it("draws a limit that its values come near, and only names one far above them", () => {
    const spend = (value: number) =>
      layOutUsage(
        report([[{ costMicros: 2_000_000, requests: 1 }, {}, {}]]),
        { by: "model", metric: "spend", range: "14d" },
        "UTC",
        { limit: { value, label: "Budget" } },
      );
    const near = spend(3_000_000);
    expect(near.limit?.y).toBeGreaterThan(0);
    expect(near.ticks.at(-1)?.value).toBeGreaterThanOrEqual(3_000_000);
    expect(spend(30_000_000).limit).toEqual({ value: 30_000_000, label: "Budget", y: null });
  });

  it("covers its full width with points", () => {
    const { points } = layOut("requests", [
      [{}, {}, {}],
      [{}, {}, {}],
    ]);
    const [first, last] = [points[0], points.at(-1)];
    expect(first?.x).toBeCloseTo(0, 1);
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeCloseTo(100, 1);
  });
});
