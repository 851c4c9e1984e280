import { Link } from "@remix-run/react";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./class-names";

interface TableProps {
  caption: string;
  dense?: boolean;
  /** On phones rows are cards, whose cells show their `label`, rather than wider than the page. */
  stacks?: boolean;
  children: ReactNode;
}

export function Table({ caption, dense, stacks, children }: TableProps) {
  return (
    <section
      ref={reachable}
      aria-label={caption}
      // Positioned: visually hidden text would otherwise widen the page.
      className="relative scroll-x rounded-lg border border-line bg-surface"
    >
      <table className={cx("w-full border-collapse text-left", dense && "[&_td]:py-1", stacks && "stacks")}>
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </section>
  );
}

/** Focusable only while it scrolls. */
function reachable(frame: HTMLElement | null): void {
  if (frame && frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
}

interface HeadCellProps {
  children: ReactNode;
  className?: string | undefined;
  align?: "left" | "right";
  sortTo?: string;
  sorted?: "ascending" | "descending" | undefined;
}

interface SortLinkProps extends Pick<HeadCellProps, "children" | "sorted"> {
  to: string;
}

/** Also above a table, for columns that a phone has no room for. */
export function SortLink({ to, sorted, children }: SortLinkProps) {
  const Arrow = sorted === "descending" ? ArrowDown : ArrowUp;
  return (
    <Link
      to={to}
      preventScrollReset
      className="inline-flex min-h-8 items-center gap-1 hover:text-ink pointer-coarse:min-h-11"
    >
      {children}
      {sorted && <Arrow aria-hidden="true" className="size-3" />}
    </Link>
  );
}

export function HeadCell({ children, className, align = "left", sortTo, sorted }: HeadCellProps) {
  return (
    <th
      scope="col"
      aria-sort={sorted}
      className={cx(
        "border-line border-b px-3 py-2 font-medium text-muted text-xs sm:px-4",
        align === "right" && "text-right",
        className,
      )}
    >
      {sortTo ? (
        <SortLink to={sortTo} sorted={sorted}>
          {children}
        </SortLink>
      ) : (
        children
      )}
    </th>
  );
}

export function TableRow({ children }: { children: ReactNode }) {
  return <tr className="border-line not-last:border-b hover:bg-hover">{children}</tr>;
}

interface CellProps {
  children?: ReactNode;
  className?: string | undefined;
  align?: "left" | "right";
  /** Its column's name, in a table that stacks. */
  label?: string | undefined;
}

export function Cell({ children, className, align = "left", label }: CellProps) {
  return (
    <td
      data-label={label}
      className={cx("px-3 py-2.5 align-middle sm:px-4", align === "right" && "text-right", className)}
    >
      {children}
    </td>
  );
}
