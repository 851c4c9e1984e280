import { Link } from "@remix-run/react";
import { cx } from "~/ui/class-names";
import { countOf, formatCount } from "~/ui/format";
import { knownMetricOf } from "../figures.shared";
import type { UsageFigures, UsageQuery } from "../usage.schema";
import { METRICS, type UsageMetric } from "../usage-choices.shared";
import { usageAddress } from "./usage-address";
import { formatLarge, formatMetric, METRIC_LABELS } from "./usage-format";

const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });

function noteOf(
  metric: UsageMetric,
  { errors, inputTokens, outputTokens, requests, unpriced }: UsageFigures,
) {
  if (metric === "tokens") return `${formatLarge(inputTokens)} in, ${formatLarge(outputTokens)} out`;
  if (metric === "spend")
    return unpriced > 0 ? `${countOf(unpriced, "request")} without a price` : "All requests priced";
  if (metric === "errors") return requests > 0 ? `${percent.format(errors / requests)} of requests` : "—";
  return metric === "first-token" ? "On average" : `${formatCount(requests - errors)} succeeded`;
}

const shortOf = (metric: UsageMetric, totals: UsageFigures) =>
  metric === "tokens"
    ? formatLarge(totals.inputTokens + totals.outputTokens)
    : formatMetric(metric, knownMetricOf(totals, metric));

/** Each links to its chart. */
export function UsageTotals({ totals, query }: { totals: UsageFigures; query: UsageQuery }) {
  return (
    <nav
      aria-label="Figures"
      className="grid grid-cols-2 gap-2 sm:grid-cols-3 sm:gap-4 lg:max-xl:gap-2 lg:grid-cols-5"
    >
      {METRICS.map((metric) => (
        <Link
          key={metric}
          to={usageAddress({ ...query, metric })}
          preventScrollReset
          aria-current={metric === query.metric ? "true" : undefined}
          className={cx(
            "min-w-0 max-sm:last:col-span-2 rounded-lg border bg-surface p-3 shadow-card transition-colors hover:border-edge sm:p-4 lg:max-xl:p-3",
            metric === query.metric ? "border-primary-ink" : "border-line",
          )}
        >
          <span className="block truncate text-muted text-xs">{METRIC_LABELS[metric]}</span>
          <span className="block truncate font-semibold text-lg tabular-nums">{shortOf(metric, totals)}</span>
          <span className="block text-muted text-xs">{noteOf(metric, totals)}</span>
        </Link>
      ))}
    </nav>
  );
}
