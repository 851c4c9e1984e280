import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import type { UsageQuery } from "../usage.schema";
import type { UsageChart as Chart } from "../usage.shared";
import { UsageChart } from "./usage-chart";
import { UsageFilters } from "./usage-filters";
import { formatTick } from "./usage-format";

it.each([
  ["spend", 1_500_000, "$1.50"],
  ["spend", 13_600_000, "$13.6"],
  ["spend", 25_000_000_000, "$25K"],
  ["first-token", 1500, "1.5 s"],
  ["tokens", 13_600_000, "13.6M"],
] as const)("labels an axis of %s at %i as %s", (metric, value, label) => {
  expect(formatTick(metric, value)).toBe(label);
});

const point = (at: number, values: number[]) => ({
  at,
  label: `Nov ${at}`,
  total: values.reduce((sum, value) => sum + value, 0),
  values,
  hasTick: true,
  x: at * 10,
  width: 10,
});

it("describes a column by its parts, where it has several", async () => {
  const chart = {
    metric: "tokens",
    kind: "bars",
    series: ["gpt-4o", "claude"],
    points: [point(1, [5, 0]), point(2, [3, 4])],
    dots: [],
    paths: [],
    ticks: [{ value: 0, y: 100 }],
  } as unknown as Chart;
  const { document } = await rendered(<UsageChart chart={chart} name="Tokens by model" />);
  const columns = [...document.querySelectorAll("[data-point]")].map((one) => one.getAttribute("aria-label"));
  expect(columns).toEqual(["Nov 1: 5", "Nov 2: 7 (gpt-4o 3, claude 4)"]);
});

const query: UsageQuery = { by: "person", metric: "tokens", range: "30d" };
const days = { from: "2026-11-01", to: "2026-11-27" };

it("names the groups that usage is narrowed to and keeps them when the form is sent", async () => {
  const narrowed = await rendered(
    <UsageFilters query={{ ...query, person: "usr_1" }} days={days} narrowed={{ person: "Ada" }} />,
  );
  const hidden = narrowed.document.querySelector('input[type="hidden"]');
  expect([hidden?.getAttribute("name"), hidden?.getAttribute("value")]).toEqual(["person", "usr_1"]);
  const filter = narrowed.document.querySelector('[aria-label="Remove filter: Person Ada"]');
  expect(filter?.getAttribute("href"), "the filter's link removes it").not.toContain("usr_1");
  expect(narrowed.text).toContain("Clear");
  const all = await rendered(<UsageFilters query={query} days={days} narrowed={{}} />);
  expect(all.document.querySelector('input[type="hidden"]')).toBeNull();
  expect(all.text, "there is nothing to clear").not.toContain("Clear");
});
