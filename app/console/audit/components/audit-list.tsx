import { Link } from "@remix-run/react";
import { actorName, type People } from "~/platform/audit/actor-name.shared";
import type { DescribedEntry } from "~/platform/audit/audit.schema";
import { StatusDot } from "~/ui/badge";
import { RelativeTime, type TimeStyle } from "~/ui/time";
import { entryAddress } from "./audit-address";
import { toneOf } from "./sentences";

interface AuditListProps {
  entries: DescribedEntry[];
  people: People;
  times?: TimeStyle;
}

export function AuditList({ entries, people, times = "short" }: AuditListProps) {
  return (
    <ul className="divide-y divide-line">
      {entries.map((entry) => (
        <li key={entry.id} className="flex items-baseline gap-3 py-2.5">
          <StatusDot tone={toneOf(entry.action)} className="translate-y-[-1px]" />
          <div className="min-w-0 flex-1">
            <Link
              to={entryAddress({ range: "all" }, entry.id)}
              className="block truncate text-ink underline-offset-4 hover:underline pointer-coarse:min-h-11"
            >
              {entry.sentence}
            </Link>
            <p className="truncate text-muted text-xs">{actorName(entry, people)}</p>
          </div>
          <RelativeTime at={entry.createdAt} style={times} className="shrink-0 text-muted text-xs" />
        </li>
      ))}
    </ul>
  );
}
