import type { AuditEntry } from "~/features/audit/audit.schema";
import { StatusDot } from "~/ui/badge";
import { RelativeTime, type TimeStyle } from "~/ui/time";
import { sentenceOf, toneOf } from "./sentences";

/** Entries of the audit trail, newest first. */
export function AuditList({ entries, times = "short" }: { entries: AuditEntry[]; times?: TimeStyle }) {
  return (
    <ul className="divide-y divide-line">
      {entries.map((entry) => (
        <li key={entry.id} className="flex items-baseline gap-3 py-2.5">
          <StatusDot tone={toneOf(entry.action)} className="translate-y-[-1px]" />
          <div className="min-w-0 flex-1">
            <p className="truncate text-ink">{sentenceOf(entry)}</p>
            <p className="truncate font-mono text-muted text-xs">
              {entry.action} · {entry.resource} · {entry.userId}
            </p>
          </div>
          <RelativeTime at={entry.createdAt} style={times} className="shrink-0 text-muted text-xs" />
        </li>
      ))}
    </ul>
  );
}
