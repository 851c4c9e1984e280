import { Link } from "@remix-run/react";
import { ChevronRight } from "lucide-react";
import { actorName, type People } from "~/platform/audit/actor-name.shared";
import type { DescribedEntry } from "~/platform/audit/audit.schema";
import { Sample, StatusDot } from "~/ui/badge";
import { RelativeTime } from "~/ui/time";
import { toneOf } from "../entry-labels.shared";
import { entryAddress } from "./audit-address";

interface AuditListProps {
  entries: readonly DescribedEntry[];
  people: People;
}

export function AuditList({ entries, people }: AuditListProps) {
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
          <RelativeTime at={entry.createdAt} style="long" className="shrink-0 text-muted text-xs" />
        </li>
      ))}
    </ul>
  );
}

interface AuditLogProps extends AuditListProps {
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

/** Shown until there is an entry (console.md, section 4). */
const SAMPLES = [
  { action: "workflow.executed", sentence: "Ran the workflow Daily report" },
  { action: "document.uploaded", sentence: "Added the document handbook.pdf" },
  { action: "persona.created", sentence: "Created the persona Research analyst" },
  { action: "provider.updated", sentence: "Changed the provider openai" },
  { action: "user.login", sentence: "Signed in" },
];

export function SampleEntries() {
  return (
    <ul aria-label="Sample entries" className="-my-2.5 divide-y divide-line text-muted">
      {SAMPLES.map(({ action, sentence }) => (
        <li key={action} className="flex items-baseline gap-3 py-2.5">
          <StatusDot tone={toneOf(action)} className="translate-y-[-1px]" />
          <span className="min-w-0 flex-1 truncate">{sentence}</span>
          <Sample />
        </li>
      ))}
    </ul>
  );
}
