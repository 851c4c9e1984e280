import { Link } from "@remix-run/react";

interface ChipLinkProps {
  to: string;
  isCurrent: boolean;
  preventScrollReset?: boolean;
  children: string;
}

/** One of several filters, of which one is chosen. */
export function ChipLink({ to, isCurrent, preventScrollReset = false, children }: ChipLinkProps) {
  return (
    <Link
      to={to}
      preventScrollReset={preventScrollReset}
      aria-current={isCurrent ? "true" : undefined}
      className="inline-flex min-h-8 max-w-48 items-center rounded-full border border-line bg-raised px-3 text-sm hover:bg-hover aria-[current]:border-primary-ink aria-[current]:bg-primary-soft aria-[current]:text-primary-ink pointer-coarse:min-h-11"
    >
      <span className="truncate">{children}</span>
    </Link>
  );
}
