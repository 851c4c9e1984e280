import { LinkButton } from "./button";
import { formatCount } from "./format";

export interface PageInfo {
  page: number;
  size: number;
  total: number;
}

interface PaginationProps {
  pageInfo: PageInfo;
  label: string;
  to: (page: number) => string;
}

export function Pagination({ pageInfo: { page, size, total }, label, to }: PaginationProps) {
  if (total <= size) return null;
  const last = Math.ceil(total / size);
  return (
    <nav aria-label={label} className="flex flex-wrap items-center justify-between gap-2">
      <p className="text-muted text-xs tabular-nums">
        {formatCount((page - 1) * size + 1)} to {formatCount(Math.min(page * size, total))} of{" "}
        {formatCount(total)}
      </p>
      <div className="flex gap-2">
        {page > 1 && (
          <LinkButton size="sm" to={to(page - 1)} preventScrollReset>
            Previous<span className="sr-only"> of {label.toLowerCase()}</span>
          </LinkButton>
        )}
        {page < last && (
          <LinkButton size="sm" to={to(page + 1)} preventScrollReset>
            Next<span className="sr-only"> of {label.toLowerCase()}</span>
          </LinkButton>
        )}
      </div>
    </nav>
  );
}

interface CursorPagesProps {
  /** The address of the first page, where this is another one. */
  first: string | undefined;
  firstLabel?: string;
  next: string | undefined;
  nextLabel: string;
  preventScrollReset?: boolean;
}

/** For lists by cursor, which know neither their length nor the page before. */
export function CursorPages({
  first,
  firstLabel = "Newest",
  next,
  nextLabel,
  preventScrollReset = false,
}: CursorPagesProps) {
  if (!first && !next) return null;
  return (
    <nav aria-label="Pages" className="mt-6 flex justify-center gap-2">
      {first && <LinkButton to={first}>{firstLabel}</LinkButton>}
      {next && (
        <LinkButton to={next} preventScrollReset={preventScrollReset}>
          {nextLabel}
        </LinkButton>
      )}
    </nav>
  );
}
