import { Link } from "@remix-run/react";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import { knownMetricOf } from "../figures.shared";
import type { UsageFigures, UsageGroup, UsagePoint, UsageQuery } from "../usage.schema";
import { METRICS, type UsageMetric } from "../usage-choices.shared";
import { usageAddress } from "./usage-address";
import { DIMENSION_LABELS, formatMetric, METRIC_LABELS } from "./usage-format";

const LINK =
  "wrap-anywhere inline-flex min-h-6 max-w-full items-center text-primary-ink underline-offset-4 hover:underline pointer-coarse:min-h-11";

interface GroupTableProps {
  groups: readonly UsageGroup[];
  query: UsageQuery;
}

/** Headers sort, names filter. */
export function GroupTable({ groups, query }: GroupTableProps) {
  const { by, metric } = query;
  return (
    <Table caption={`Usage by ${DIMENSION_LABELS[by]}`}>
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
              <Link
                to={usageAddress({ ...query, [by]: group.key, by: nextOf(by) })}
                preventScrollReset
                className={LINK}
              >
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

/** Drill-down: people by model, others by person. */
const nextOf = (by: UsageQuery["by"]): UsageQuery["by"] =>
  by === "person" ? "model" : by === "tool" ? "tool" : "person";

interface PointTableProps {
  points: readonly UsagePoint[];
  labels: readonly string[];
  unit: "hour" | "day";
  query: UsageQuery;
}

/** Days link to their hours. */
export function PointTable({ points, labels, unit, query }: PointTableProps) {
  return (
    <Table caption={`Usage by ${unit}`}>
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
                <Link
                  to={usageAddress({ ...query, range: "custom", from: point.at, to: point.at })}
                  className={LINK}
                >
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
    <Cell key={name} align="right" className="whitespace-nowrap tabular-nums">
      {formatMetric(name, knownMetricOf(figures, name))}
    </Cell>
  ));
}
