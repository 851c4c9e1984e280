import { expect, it } from "vitest";
import { rendered } from "../../tests/support/rendered";
import { Chart, formatTick } from "./chart";
import { layOutChart } from "./chart-layout.server";

it.each([
  ["cost", 1_500_000, "$1.50"],
  ["cost", 13_600_000, "$13.6"],
  ["cost", 0, "$0.00"],
  ["cost", 25_000_000_000, "$25K"],
  ["duration", 1500, "1.5 s"],
  ["count", 13_600_000, "13.6M"],
] as const)("labels an axis of %s at %i as %s", (unit, value, label) => {
  expect(formatTick(unit, value)).toBe(label);
});

it("tells the amounts of an axis apart", () => {
  const labels = [0, 5000, 10_000, 15_000, 20_000].map((value) => formatTick("cost", value, 5000));
  expect(labels).toEqual(["$0.00", "$0.005", "$0.010", "$0.015", "$0.020"]);
});

const point = (at: number, values: number[]) => ({
  at: `2026-11-0${at}`,
  label: `Nov ${at}`,
  total: values.reduce((sum, value) => sum + value, 0),
  values,
  to: `/usage?from=${at}`,
});

const chart = layOutChart({
  unit: "count",
  kind: "bars",
  height: 100,
  series: [
    { name: "gpt-4o", color: 0, to: "/usage?model=gpt-4o" },
    { name: "claude", color: 17 },
  ],
  points: [point(1, [5, 0]), point(2, [3, 4]), point(3, [0, 0])],
  limit: { value: 8, label: "Budget 8 a day" },
});

it("leaves every second long label out where there is no room", async () => {
  const points = chart.points.map((one, at) => ({ ...one, label: `Nov 30, 1${at}:00` }));
  const { document } = await rendered(<Chart chart={{ ...chart, points }} name="Share of passed answers" />);
  const hidden = [...document.querySelectorAll('[class*="@max-[30rem]:hidden"]')];
  expect(hidden.map(({ textContent }) => textContent)).toEqual(["Nov 30, 11:00"]);
});

it("describes a column by its parts, where it has several, and leads to its records", async () => {
  const { document } = await rendered(<Chart chart={chart} name="Tokens by model" />);
  const columns = [...document.querySelectorAll("a[data-point]")];
  expect(columns.map((one) => [one.getAttribute("href"), one.getAttribute("aria-label")])).toEqual([
    ["/usage?from=1", "Nov 1: 5"],
    ["/usage?from=2", "Nov 2: 7 (gpt-4o 3, claude 4)"],
    ["/usage?from=3", "Nov 3: 0"],
  ]);
});

it("has its values as a table, its limit in the legend and each series in its own color", async () => {
  const { document } = await rendered(<Chart chart={chart} name="Tokens by model" />);
  const rows = [...document.querySelectorAll("tbody tr")].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => cell.textContent),
  );
  expect(rows).toEqual([
    ["Nov 1", "5", "gpt-4o 5"],
    ["Nov 2", "7", "gpt-4o 3, claude 4"],
  ]);
  const legend = [...document.querySelectorAll('[aria-label="Legend"] li')];
  expect(legend.map(({ textContent }) => textContent)).toEqual(["gpt-4o", "claude", "Budget 8 a day"]);
  expect(
    legend.map(
      (item) =>
        item
          .querySelector("svg")
          ?.getAttribute("class")
          ?.match(/text-\S+/)?.[0],
    ),
  ).toEqual(["text-series-1", "text-series-2", "text-warning-ink"]);
});
