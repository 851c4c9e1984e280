import { Link } from "@remix-run/react";
import { ChevronRight } from "lucide-react";
import { actorName, type People } from "~/platform/audit/actor-name.shared";
import type { DescribedEntry } from "~/platform/audit/audit.schema";
import { StatusDot } from "~/ui/badge";
import { RelativeTime } from "~/ui/time";
import { toneOf } from "./sentences";

interface AuditLogProps {
  entries: readonly DescribedEntry[];
  people: People;
  entryTo: (id: string) => string;
}

export function AuditLog({ entries, people, entryTo }: AuditLogProps) {
  return (
    <ol aria-label="Audit entries" className="-mx-4 -mb-4 divide-y divide-line">
      {entries.map((entry, at) => (
        <li key={entry.id} id={`log-${at + 1}`} className="scroll-mt-20">
          <Link
            to={entryTo(entry.id)}
            preventScrollReset
            className="flex min-h-12 items-center gap-3 px-4 py-2 hover:bg-hover focus-visible:outline-offset-[-2px]"
          >
            <StatusDot tone={toneOf(entry.action)} />
            <span className="min-w-0 flex-1">
              <span className="wrap-anywhere block text-ink">{entry.sentence}</span>
              <span className="block truncate text-muted text-xs">{actorName(entry, people)}</span>
            </span>
            <RelativeTime at={entry.createdAt} style="short" className="shrink-0 text-muted text-xs" />
            <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted" />
          </Link>
        </li>
      ))}
    </ol>
  );
}
