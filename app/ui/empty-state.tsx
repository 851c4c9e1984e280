import type { ReactNode } from "react";
import { cx } from "./class-names";

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  level?: 1 | 2;
  /** Beside what isn't empty. */
  compact?: boolean;
}

export function EmptyState({
  icon,
  title,
  description,
  action,
  level = 2,
  compact = false,
}: EmptyStateProps) {
  const Heading = `h${level}` as const;
  return (
    <div
      className={cx(
        "flex flex-col items-center justify-center rounded-lg border border-line border-dashed px-6 text-center",
        compact ? "py-6" : "py-16",
      )}
    >
      <span className="mb-4 grid size-12 place-items-center rounded-lg border border-line bg-surface text-muted shadow-card [&_svg]:size-5">
        {icon}
      </span>
      <Heading className="text-md">{title}</Heading>
      {description != null && <p className="mt-1 max-w-md text-balance text-muted">{description}</p>}
      {action != null && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
