import { Link } from "@remix-run/react";
import { X } from "lucide-react";

interface ActiveFiltersProps {
  filters: readonly { name: string; value: string; without: string }[];
}

export function ActiveFilters({ filters }: ActiveFiltersProps) {
  if (filters.length === 0) return null;
  return (
    <ul aria-label="Active filters" className="mb-4 flex flex-wrap gap-2">
      {filters.map(({ name, value, without }) => (
        <li key={name} className="min-w-0 max-w-full">
          <Link
            to={without}
            aria-label={`Remove filter: ${name} ${value}`}
            className="flex min-h-8 items-center gap-1.5 rounded-md border border-line bg-raised px-2.5 text-xs hover:border-edge pointer-coarse:min-h-11"
          >
            <span className="text-muted first-letter:uppercase">{name}</span>
            <span className="truncate">{value}</span>
            <X aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
          </Link>
        </li>
      ))}
    </ul>
  );
}
