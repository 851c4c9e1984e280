import { Link } from "@remix-run/react";
import { ChartColumn, CircleAlert, Hash, TriangleAlert, UserCheck, Workflow } from "lucide-react";
import type { ReactNode } from "react";
import { usageAddress } from "~/team/usage/usage-address.shared";
import { Sample } from "~/ui/badge";
import { Card } from "~/ui/card";
import { Chart, ChartOutline } from "~/ui/chart";
import type { ChartLayout } from "~/ui/chart.shared";
import { countOf, formatCost, formatTokens } from "~/ui/format";
import { RelativeTime } from "~/ui/time";
import type { Plots as Loaded, Waiting } from "../overview.schema";

export function LoadError({ part }: { part: string }) {
  return (
    <p className="flex items-start gap-1.5 text-danger-ink">
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      {part} couldn't be loaded. Reload the page to try again.
    </p>
  );
}

interface PlotProps {
  title: string;
  icon: ReactNode;
  /** Undefined if it failed to load. */
  chart: ChartLayout | undefined;
  description: ReactNode;
  hasData: boolean;
  /** What fills an outline. */
  fill: string;
  pointName?: string;
  to: string;
  more: string;
  className?: string;
}

/** One rule for all plots: an outline under its badge until there is a first datum of its kind. */
function Plot({ title, icon, chart, description, hasData, fill, pointName = "Day", ...props }: PlotProps) {
  const { to, more, className } = props;
  return (
    <Card
      title={title}
      icon={icon}
      description={hasData ? description : <Sample />}
      {...(className ? { className } : {})}
      actions={
        hasData && (
          <Link
            to={to}
            className="min-h-6 content-center text-muted text-xs underline-offset-4 hover:text-ink hover:underline pointer-coarse:min-h-11"
          >
            {more}
          </Link>
        )
      }
    >
      {!chart ? (
        <LoadError part={title} />
      ) : hasData ? (
        <Chart chart={chart} name={title} pointName={pointName} />
      ) : (
        <>
          <ChartOutline height={Math.round(chart.height * 0.6)} />
          <p className="mt-3 text-muted text-xs">{fill}</p>
        </>
      )}
    </Card>
  );
}

const USAGE_FILL = "The first answer of a model replaces this outline.";
const RANGE = "14d" as const;

export function Plots({ plots: { usage, runs, waiting } }: { plots: Loaded }) {
  const hasUsage = usage?.hasData ?? true;
  const totals = usage?.totals;
  const whose = usage?.scope === "own" ? "Yours, last 14 days" : "Last 14 days";
  return (
    <div className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
      <Plot
        title="Spend"
        icon={<ChartColumn />}
        className="lg:col-span-2"
        chart={usage?.spend}
        hasData={hasUsage}
        fill={USAGE_FILL}
        description={
          totals && (
            <>
              {whose}: <span className="font-medium text-ink">{formatCost(totals.costMicros)}</span>
              {totals.unpriced > 0 && `, ${countOf(totals.unpriced, "request")} without a price`}
            </>
          )
        }
        to={usageAddress({ range: RANGE, metric: "spend" })}
        more="View usage"
      />
      <WaitingCard waiting={waiting} />
      <Plot
        title="Tokens by Model"
        icon={<Hash />}
        chart={usage?.tokens}
        hasData={hasUsage}
        fill={USAGE_FILL}
        description={totals && `${whose}: ${formatTokens(totals.inputTokens + totals.outputTokens)}`}
        to={usageAddress({ range: RANGE })}
        more="View usage"
      />
      <Plot
        title="Errors"
        icon={<TriangleAlert />}
        chart={usage?.errors}
        hasData={hasUsage}
        fill={USAGE_FILL}
        description={
          totals && `${whose}: ${countOf(totals.errors, "error")} in ${countOf(totals.requests, "request")}`
        }
        to={usageAddress({ range: RANGE, metric: "errors" })}
        more="View errors"
      />
      <Plot
        title="Runs Today"
        icon={<Workflow />}
        pointName="Hour"
        chart={runs?.chart}
        hasData={runs?.hasData ?? true}
        fill="The first workflow replaces this outline."
        description={runs && (runs.total > 0 ? countOf(runs.total, "run") : "No runs yet today")}
        // In two columns, where what waits takes a row of its own.
        className="lg:max-xl:col-span-2"
        to="/workflows/runs"
        more="View runs"
      />
    </div>
  );
}

function WaitingCard({ waiting }: { waiting: readonly Waiting[] | undefined }) {
  return (
    <Card
      title="Waiting for You"
      icon={<UserCheck />}
      description="What goes on once you approve it"
      className="lg:max-xl:col-span-2"
    >
      {!waiting ? (
        <LoadError part="What waits for you" />
      ) : waiting.length === 0 ? (
        <p className="text-muted">Nothing waits for your approval</p>
      ) : (
        <ul aria-label="Waiting for your approval" className="-my-2 divide-y divide-line">
          {waiting.map(({ title, note, to, since }) => (
            <li key={to} className="flex items-baseline gap-3 py-2">
              <span className="min-w-0 flex-1">
                <Link
                  to={to}
                  title={title}
                  className="block truncate underline-offset-4 hover:underline pointer-coarse:min-h-11"
                >
                  {title}
                </Link>
                <span className="block text-muted text-xs">{note}</span>
              </span>
              <RelativeTime at={since} style="short" className="shrink-0 text-muted text-xs" />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
