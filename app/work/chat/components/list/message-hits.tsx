import { Link } from "@remix-run/react";
import { toDisplayText } from "~/core/well-formed";
import { RelativeTime } from "~/ui/time";
import type { MessageHit } from "../../list/list.schema";

/** Search results; each opens at its message. */
export function MessageHits({ hits }: { hits: readonly MessageHit[] }) {
  return (
    <ul aria-label="Messages found" className="rounded-lg border border-line bg-surface shadow-card">
      {hits.map((hit) => (
        <li
          key={hit.messageId}
          className="relative px-4 py-3 not-last:border-line not-last:border-b hover:bg-hover"
        >
          <div className="flex min-w-0 items-baseline gap-3">
            <Link
              to={`/chat/${hit.conversationId}?message=${hit.messageId}#${hit.messageId}`}
              dir="auto"
              className="min-w-0 flex-1 truncate text-start font-medium after:absolute after:inset-0"
            >
              {toDisplayText(hit.title)}
            </Link>
            <span className="shrink-0 text-muted text-xs">
              {hit.role === "user" ? "You" : "Assistant"} · <RelativeTime at={hit.timestamp} style="short" />
            </span>
          </div>
          <p dir="auto" className="wrap-anywhere mt-1 text-start text-muted text-sm">
            {hit.excerpt.map(({ text, hit: isHit }, index) =>
              isHit ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text, which never move.
                <mark key={index} className="rounded-xs bg-warning-soft px-0.5 text-warning-ink">
                  {toDisplayText(text)}
                </mark>
              ) : (
                toDisplayText(text)
              ),
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}
