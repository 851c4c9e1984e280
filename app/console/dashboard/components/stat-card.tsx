import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { cx } from "~/ui/class-names";
import { Sample } from "~/ui/sample";

interface StatCardProps {
  icon: ReactNode;
  label: string;
  value: string;
  note: ReactNode;
  isSample?: boolean;
  to: string;
}

export function StatCard({ icon, label, value, note, isSample = false, to }: StatCardProps) {
  return (
    <Link
      to={to}
      className="flex min-w-0 items-start gap-3 rounded-lg border border-line bg-surface p-3 shadow-card transition-colors hover:border-edge sm:p-4"
    >
      <span className="grid size-9 shrink-0 place-items-center rounded-md bg-primary-soft text-primary-ink max-sm:hidden lg:max-xl:hidden [&_svg]:size-4.5">
        {icon}
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="text-muted text-xs">{label}</span>
          {isSample && <Sample />}
        </span>
        <span
          className={cx(
            "wrap-anywhere line-clamp-2 font-semibold text-lg tabular-nums",
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

/** Change since yesterday at this time; a dash without a figure. */
export const changeText = (change: number | null) =>
  change === null ? "— vs yesterday" : `${percent.format(change)} vs yesterday`;
