import { Link } from "@remix-run/react";
import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";

interface StatCardProps {
  icon: ReactNode;
  label: string;
  value: number;
  to: string;
}

/** A figure that is true now, and the screen it comes from. */
export function StatCard({ icon, label, value, to }: StatCardProps) {
  return (
    <Link
      to={to}
      className="flex min-w-0 items-center gap-4 rounded-lg border border-line bg-surface p-3 sm:p-4 shadow-card transition-colors hover:border-edge"
    >
      <span className="grid size-10 shrink-0 place-items-center max-sm:hidden rounded-md bg-primary-soft text-primary-ink [&_svg]:size-5">
        {icon}
      </span>
      <span className="min-w-0">
        <span className="block truncate text-muted text-xs">{label}</span>
        <span className="block font-semibold text-ink text-lg">{value.toLocaleString("en-US")}</span>
      </span>
    </Link>
  );
}

interface ShortcutCardProps {
  icon: ReactNode;
  title: string;
  /** Absent where this person can't continue from here. */
  to?: string | undefined;
  action: string;
  children: ReactNode;
}

/** A way into a screen, with what it is for. */
export function ShortcutCard({ icon, title, to, action, children }: ShortcutCardProps) {
  return (
    <section className="flex h-full flex-col rounded-lg border border-line bg-surface p-4 shadow-card">
      <h2 className="flex items-center gap-2 text-sm [&_svg]:size-4 [&_svg]:text-muted">
        {icon}
        {title}
      </h2>
      <p className="mt-1.5 text-pretty text-muted">{children}</p>
      {to && (
        <Link
          to={to}
          className="mt-auto inline-flex min-h-9 items-center gap-1.5 self-start pt-2 font-medium text-primary-ink underline-offset-4 hover:underline pointer-coarse:min-h-11"
        >
          {action}
          <ArrowRight aria-hidden="true" className="size-4" />
        </Link>
      )}
    </section>
  );
}
