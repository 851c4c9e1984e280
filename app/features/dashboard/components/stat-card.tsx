import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { cx } from "~/ui/class-names";
import { Sample } from "~/ui/sample";

interface StatCardProps {
  icon: ReactNode;
  label: string;
  value: string;
  /** The line below the value. */
  note: ReactNode;
  /** Whether the value is an example. */
  isSample?: boolean;
  to: string;
}

/** A figure, what it is compared with, and the screen that it comes from. */
export function StatCard({ icon, label, value, note, isSample = false, to }: StatCardProps) {
  return (
    <Link
      to={to}
      className="flex min-w-0 items-start gap-3 rounded-lg border border-line bg-surface p-3 shadow-card transition-colors hover:border-edge sm:p-4"
    >
      <span className="grid size-9 shrink-0 place-items-center rounded-md bg-primary-soft text-primary-ink max-sm:hidden [&_svg]:size-4.5">
        {icon}
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="text-muted text-xs">{label}</span>
          {isSample && <Sample />}
        </span>
        <span
          className={cx(
            "block truncate font-semibold text-lg tabular-nums",
            isSample ? "text-muted" : "text-ink",
          )}
          title={value}
        >
          {value}
        </span>
        <span className="block text-muted text-xs">{note}</span>
      </span>
    </Link>
  );
}

const percent = new Intl.NumberFormat("en-US", {
  style: "percent",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});

/** The change against the same time yesterday; a dash where there is nothing to compare with. */
export const changeText = (change: number | null) =>
  change === null ? "— vs yesterday" : `${percent.format(change)} vs yesterday`;
