import { Form, Link, useLocation } from "@remix-run/react";
import { List, Search, SquarePen, Users } from "lucide-react";
import { toDisplayText } from "~/core/well-formed";
import { cx } from "~/ui/class-names";
import type { ListedConversation, ListPeriod } from "../../list/list.schema";
import { ActivityMark } from "./activity-mark";

const PERIODS: readonly (readonly [ListPeriod, string])[] = [
  ["pinned", "Pinned"],
  ["today", "Today"],
  ["week", "Last 7 days"],
  ["older", "Older"],
];

const ROW =
  "flex min-h-8 items-center gap-2.5 rounded-md px-2.5 py-1 text-muted hover:bg-hover hover:text-ink focus-visible:outline-offset-[-2px] aria-[current]:bg-active aria-[current]:text-ink pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0";

interface ConversationNavProps {
  conversations: readonly ListedConversation[];
  hasShared: boolean;
  className?: string;
}

export function ConversationNav({ conversations, hasShared, className }: ConversationNavProps) {
  const { pathname } = useLocation();
  const currentAt = (path: string) => (pathname === path ? "page" : undefined);
  return (
    <nav
      aria-label="Conversations"
      className={cx("flex flex-col gap-0.5 border-line border-t pt-2", className)}
    >
      <Link to="/chat" className={ROW}>
        <SquarePen aria-hidden="true" />
        New Chat
      </Link>
      {conversations.length > 0 && (
        <Link to="/chat/all" aria-current={currentAt("/chat/all")} className={ROW}>
          <List aria-hidden="true" />
          All Conversations
        </Link>
      )}
      {hasShared && (
        <Link to="/chat/shared" aria-current={currentAt("/chat/shared")} className={ROW}>
          <Users aria-hidden="true" />
          Shared with Me
        </Link>
      )}
      <Form role="search" aria-label="Conversations" action="/chat/all" className="relative my-1">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
        />
        <input
          type="search"
          name="q"
          maxLength={200}
          required
          aria-label="Search conversations"
          placeholder="Search conversations"
          className="min-h-8 w-full rounded-md border border-line border-b-edge bg-sunken pr-2 pl-8.5 text-ink text-sm pointer-coarse:min-h-11"
        />
      </Form>
      {PERIODS.map(([period, label]) => {
        const ofPeriod = conversations.filter((one) => one.period === period);
        if (ofPeriod.length === 0) return null;
        return (
          <div key={period}>
            <p aria-hidden="true" className="px-2.5 pt-2 pb-1 font-medium text-muted text-xs">
              {label}
            </p>
            <ul aria-label={label}>
              {ofPeriod.map(({ id, title, activity }) => (
                <li key={id}>
                  <Link
                    to={`/chat/${id}`}
                    title={toDisplayText(title)}
                    aria-current={currentAt(`/chat/${id}`)}
                    className={ROW}
                  >
                    <span dir="auto" className="wrap-anywhere line-clamp-2 min-w-0 flex-1 text-start">
                      {toDisplayText(title)}
                    </span>
                    {activity && !(activity === "unread" && pathname === `/chat/${id}`) && (
                      <ActivityMark activity={activity} />
                    )}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}
