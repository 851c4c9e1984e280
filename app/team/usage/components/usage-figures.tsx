import { Link } from "@remix-run/react";
import { cx } from "~/ui/class-names";
import { countOf, formatCount, formatDuration } from "~/ui/format";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import { knownMetricOf } from "../figures.shared";
import type { UsageFigures, UsageGroup, UsagePoint, UsageQuery } from "../usage.schema";
import { METRICS, type UsageMetric } from "../usage.shared";
import { dayAddress, groupAddress, usageAddress } from "../usage-address.shared";
import { DIMENSION_LABELS, formatLarge, formatMetric, METRIC_LABELS } from "./usage-format";

const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });

function noteOf(
  metric: UsageMetric,
  {
    audioSeconds,
    cacheReadTokens,
    characters,
    errors,
    estimated,
    images,
    inputTokens,
    outputTokens,
    requests,
    searchUnits,
    unpriced,
  }: UsageFigures,
) {
  if (metric === "tokens") {
    const counted = estimated > 0 ? `, ${countOf(estimated, "request")} estimated` : "";
    const cached = cacheReadTokens > 0 ? ` (${formatLarge(cacheReadTokens)} from caches)` : "";
    const units = searchUnits > 0 ? `, ${countOf(searchUnits, "search unit")}` : "";
    const made = images > 0 ? `, ${countOf(images, "image")}` : "";
    const audio = audioSeconds > 0 ? `, ${formatDuration(audioSeconds * 1000)} of audio` : "";
    const spoken = characters > 0 ? `, ${formatLarge(characters)} characters read aloud` : "";
    return `${formatLarge(inputTokens)} in${cached}, ${formatLarge(outputTokens)} out${counted}${units}${made}${audio}${spoken}`;
  }
  if (metric === "spend")
    return unpriced > 0 ? `${countOf(unpriced, "request")} without a price` : "All requests priced";
  if (metric === "errors") return requests > 0 ? `${percent.format(errors / requests)} of requests` : "—";
  return metric === "first-token" ? "On average" : `${formatCount(requests - errors)} succeeded`;
}

const shortOf = (metric: UsageMetric, totals: UsageFigures) =>
  metric === "tokens"
    ? formatLarge(totals.inputTokens + totals.outputTokens)
    : formatMetric(metric, knownMetricOf(totals, metric));

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

const LINK =
  "wrap-anywhere inline-flex min-h-6 max-w-full items-center text-primary-ink underline-offset-4 hover:underline pointer-coarse:min-h-11";

interface GroupTableProps {
  groups: readonly UsageGroup[];
  query: UsageQuery;
}

export function GroupTable({ groups, query }: GroupTableProps) {
  const { by, metric } = query;
  return (
    <Table caption={`Usage by ${DIMENSION_LABELS[by]}`} stacks>
      <thead>
        <tr>
          <HeadCell>{DIMENSION_LABELS[by]}</HeadCell>
          {METRICS.map((name) => (
            <HeadCell
              key={name}
              align="right"
              className="whitespace-nowrap"
              sortTo={usageAddress({ ...query, metric: name })}
              {...(name === metric ? { sorted: "descending" as const } : {})}
            >
              {METRIC_LABELS[name]}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <TableRow key={group.key}>
            <th scope="row" className="min-w-36 max-w-72 px-3 py-1.5 font-normal sm:px-4">
              <Link to={groupAddress(query, group.key)} preventScrollReset className={LINK}>
                {group.label}
              </Link>
            </th>
            <Figures figures={group} />
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}

interface PointTableProps {
  points: readonly UsagePoint[];
  labels: readonly string[];
  unit: "hour" | "day";
  query: UsageQuery;
}

export function PointTable({ points, labels, unit, query }: PointTableProps) {
  return (
    <Table caption={`Usage by ${unit}`} stacks>
      <thead>
        <tr>
          <HeadCell>{unit === "day" ? "Day" : "Hour"}</HeadCell>
          {METRICS.map((name) => (
            <HeadCell key={name} align="right" className="whitespace-nowrap">
              {METRIC_LABELS[name]}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {points.map((point, at) => (
          <TableRow key={point.at}>
            <th scope="row" className="whitespace-nowrap px-3 py-1.5 font-normal sm:px-4">
              {unit === "day" ? (
                <Link to={dayAddress(query, point.at)} className={LINK}>
                  {labels[at]}
                </Link>
              ) : (
                labels[at]
              )}
            </th>
            <Figures figures={point} />
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}

function Figures({ figures }: { figures: UsageFigures }) {
  return METRICS.map((name: UsageMetric) => (
    <Cell key={name} label={METRIC_LABELS[name]} align="right" className="whitespace-nowrap tabular-nums">
      {formatMetric(name, knownMetricOf(figures, name))}
    </Cell>
  ));
}
