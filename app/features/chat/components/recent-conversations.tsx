import { Link } from "@remix-run/react";
import { Card } from "~/ui/card";
import { RelativeTime } from "~/ui/time";
import type { ConversationSummary } from "../chat.schema";
import { shownText } from "../shown-text.schema";

interface RecentConversationsProps {
  recent: readonly ConversationSummary[];
  /** The one that is open. */
  open: string | undefined;
}

/** A person's newest conversations. */
export function RecentConversations({ recent, open }: RecentConversationsProps) {
  if (recent.length === 0) return null;
  return (
    <Card title="Recent conversations" className="print:hidden">
      <ul className="-mx-2 -my-1">
        {recent.map((item) => (
          <li key={item.id}>
            <Link
              to={`/chat/${item.id}`}
              aria-current={item.id === open ? "page" : undefined}
              className="flex min-h-9 items-center gap-3 rounded-md px-2 text-sm hover:bg-hover aria-[current]:bg-active pointer-coarse:min-h-11"
            >
              <span dir="auto" className="min-w-0 flex-1 truncate text-start">
                {shownText(item.title)}
              </span>
              <span className="shrink-0 text-muted text-xs">
                <RelativeTime at={item.updatedAt} style="short" />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
