import { Link } from "@remix-run/react";
import { CircleAlert, CircleCheck, Files, LoaderCircle, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "~/ui/class-names";
import { countOf, formatCount } from "~/ui/format";
import type { CollectionStats as Stats } from "../documents.schema";
import type { ListView } from "../screens/rag-screen.schema";
import { listAddress } from "./addresses";

interface CollectionStatsProps {
  stats: Stats;
  view: ListView;
  mayWrite: boolean;
}

export function CollectionStats({ stats, view, mayWrite }: CollectionStatsProps) {
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
    ...(mayWrite
      ? [{ status: "deleted", label: "Recently Deleted", icon: <Trash2 />, ink: "text-muted" }]
      : []),
  ];
  return (
    <section aria-labelledby="stats" className="min-w-0">
      <header className="mb-1.5 flex flex-wrap items-baseline gap-x-3 text-muted text-xs">
        <h2 id="stats" className="font-medium text-xs">
          Collection Stats
        </h2>
        <p className="tabular-nums">{countOf(stats.chunks, "searchable chunk")}</p>
      </header>
      <ul className="flex flex-wrap gap-1.5 max-sm:gap-1">
        {figures.map(({ status, ...figure }) => (
          <li key={status}>
            <Figure
              {...figure}
              to={listAddress(view, { status, find: "", group: "", batch: "" })}
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
  value?: number;
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
        "inline-flex min-h-9 items-center gap-1.5 rounded-full border px-3 transition-colors max-sm:px-2 max-sm:text-xs pointer-coarse:min-h-11",
        current
          ? "border-primary-ink bg-primary-soft text-ink"
          : "border-line bg-surface text-muted hover:bg-hover",
      )}
    >
      <span aria-hidden="true" className={cx("shrink-0 max-sm:hidden [&_svg]:size-3.5", ink)}>
        {icon}
      </span>
      {label}
      {value !== undefined && (
        <span
          className={cx("font-semibold tabular-nums", label === "Failed" && value > 0 ? ink : "text-ink")}
        >
          {formatCount(value)}
        </span>
      )}
    </Link>
  );
}
