import { Link } from "@remix-run/react";
import { CircleAlert, CircleCheck, Files, LoaderCircle } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "~/ui/class-names";
import { countOf, formatCount } from "~/ui/format";
import type { CollectionStats as Stats } from "../documents.schema";
import type { ListView } from "../rag-screen.schema";
import { listAddress } from "./addresses";

interface CollectionStatsProps {
  stats: Stats;
  view: ListView;
}

/** How many documents there are, and how they stand; each figure leads to its documents. */
export function CollectionStats({ stats, view }: CollectionStatsProps) {
  const figures = [
    { status: "", label: "Total", value: stats.total, icon: <Files />, ink: "text-muted" },
    { status: "ready", label: "Ready", value: stats.ready, icon: <CircleCheck />, ink: "text-success-ink" },
    {
      status: "processing",
      label: "Processing",
      value: stats.processing,
      icon: <LoaderCircle />,
      ink: stats.processing > 0 ? "text-info-ink" : "text-muted",
    },
    {
      status: "failed",
      label: "Failed",
      value: stats.failed,
      icon: <CircleAlert />,
      ink: stats.failed > 0 ? "text-danger-ink" : "text-muted",
    },
  ];
  return (
    <section aria-labelledby="stats" className="rounded-lg border border-line bg-surface shadow-card">
      <header className="flex flex-wrap items-baseline justify-between gap-x-3 px-4 pt-3.5">
        <h2 id="stats" className="text-sm">
          Collection Stats
        </h2>
        <p className="text-muted text-xs tabular-nums">{countOf(stats.chunks, "searchable chunk")}</p>
      </header>
      {/* From md on the navigation takes its room. */}
      <ul className="grid grid-cols-2 gap-1 p-2 sm:grid-cols-4 md:grid-cols-2 lg:grid-cols-4">
        {figures.map(({ status, ...figure }) => (
          <li key={status}>
            <Figure
              {...figure}
              to={listAddress(view, { status, find: "", group: "" })}
              current={view.status === status}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FigureProps {
  label: string;
  value: number;
  icon: ReactNode;
  ink: string;
  to: string;
  current: boolean;
}

function Figure({ label, value, icon, ink, to, current }: FigureProps) {
  return (
    <Link
      to={to}
      preventScrollReset
      aria-current={current ? "true" : undefined}
      className={cx(
        "flex min-h-11 items-center gap-2.5 rounded-md px-2 py-1.5 transition-colors hover:bg-hover",
        current && "bg-active",
      )}
    >
      <span aria-hidden="true" className={cx("shrink-0 [&_svg]:size-4", ink)}>
        {icon}
      </span>
      <span className="min-w-0 flex-1 truncate text-muted">{label}</span>
      <span className={cx("font-semibold tabular-nums", label === "Failed" && value > 0 ? ink : "text-ink")}>
        {formatCount(value)}
      </span>
    </Link>
  );
}
