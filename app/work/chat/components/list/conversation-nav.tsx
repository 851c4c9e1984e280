import { Form, Link, useLocation } from "@remix-run/react";
import { ChevronRight, Ellipsis, List, Search, SquarePen, Users } from "lucide-react";
import { type MouseEvent, useRef, useState } from "react";
import { toDisplayText } from "~/core/well-formed";
import { cx } from "~/ui/class-names";
import { lazyPart } from "~/ui/lazy-part";
import type { ConversationNavigation, ListedConversation, ListPeriod } from "../../list/list.schema";
import { ActivityMark } from "./activity-mark";

const PERIODS: readonly (readonly [ListPeriod, string])[] = [
  ["today", "Today"],
  ["week", "Last 7 days"],
  ["older", "Older"],
];

const ROW =
  "flex min-h-8 items-center gap-2.5 rounded-md px-2.5 py-1 text-muted hover:bg-hover hover:text-ink focus-visible:outline-offset-[-2px] aria-[current]:bg-active aria-[current]:text-ink pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0";

/** What takes a pointer or keys here, which loads once it is used. */
const tools = lazyPart(
  () => import("./conversation-tools").then((module) => module.ConversationTools),
  "[data-conversation-tools]",
);

const SMALL = `${ROW} text-xs`;

const DROP = "rounded-md data-target:bg-primary-soft data-target:outline-2 data-target:outline-focus";

function Label({ children }: { children: string }) {
  return (
    <p aria-hidden="true" className="px-2.5 pt-2 pb-1 font-medium text-muted text-xs">
      {children}
    </p>
  );
}

interface ConversationNavProps extends ConversationNavigation {
  hasShared: boolean;
  className?: string;
}

export function ConversationNav({ conversations, folders, hasShared, className }: ConversationNavProps) {
  const location = useLocation();
  // Sharing is a dialog over the conversation.
  const pathname = location.pathname.replace(/\/share$/, "");
  const box = useRef<HTMLElement>(null);
  /** True once it is used, or what was pressed before its code had loaded. */
  const [used, setUsed] = useState<true | HTMLElement>();
  const isLoaded = tools.useLoaded();
  // Those in closed folders aren't listed here.
  const hasOwn = conversations.length > 0 || folders.length > 0;
  const currentAt = (path: string) => (pathname === path ? "page" : undefined);
  const use = () => setUsed((before) => before ?? true);
  const press = (event: MouseEvent) => {
    const pressed = (event.target as Element).closest<HTMLElement>("[data-tool]");
    if (!pressed || (used && isLoaded) || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    setUsed(pressed);
  };

  const row = ({ id, title, activity, period }: ListedConversation) => {
    const shown = toDisplayText(title);
    const path = `/chat/${id}`;
    return (
      <li key={id} data-row={id} data-period={period} className="group/row relative">
        <Link
          to={path}
          title={shown}
          aria-current={currentAt(path)}
          className={`${ROW} pointer-coarse:pr-11 group-focus-within/row:pr-9 group-hover/row:bg-hover group-hover/row:pr-9`}
        >
          <span dir="auto" className="min-w-0 flex-1 truncate text-start">
            {shown}
          </span>
          {activity && !(activity === "unread" && pathname === path) && <ActivityMark activity={activity} />}
        </Link>
        <Link
          to={`/chat/all?dialog=actions&id=${id}`}
          data-tool="menu"
          aria-label={`Actions for ${shown}`}
          aria-haspopup="menu"
          className="absolute inset-y-0 right-1 my-auto grid size-7 place-items-center rounded-sm text-muted opacity-0 hover:bg-active hover:text-ink focus-visible:opacity-100 group-focus-within/row:opacity-100 group-hover/row:opacity-100 pointer-coarse:size-11 pointer-coarse:opacity-100 [&_svg]:size-4"
        >
          <Ellipsis aria-hidden="true" />
        </Link>
      </li>
    );
  };
  const listed = (period: ListPeriod, label: string) => {
    const ofPeriod = conversations.filter((one) => one.period === period);
    if (ofPeriod.length === 0) return null;
    return (
      <div key={period}>
        <Label>{label}</Label>
        <ul aria-label={label}>{ofPeriod.map(row)}</ul>
      </div>
    );
  };

  return (
    <nav
      ref={box}
      aria-label="Conversations"
      onPointerEnter={use}
      onFocus={use}
      onClickCapture={press}
      className={cx("group/list flex flex-col gap-0.5 border-line border-t pt-2", className)}
    >
      <Link to="/chat" className={ROW}>
        <SquarePen aria-hidden="true" />
        New Chat
      </Link>
      {hasOwn && (
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
          autoComplete="off"
          aria-label="Search conversations"
          placeholder="Search conversations"
          className="min-h-8 w-full rounded-md border border-line border-b-edge bg-sunken pr-2 pl-8.5 text-ink text-sm pointer-coarse:min-h-11"
        />
      </Form>
      <div data-found="" />
      <div className="flex flex-col group-data-searching/list:hidden">
        {listed("pinned", "Pinned")}
        {folders.length > 0 && (
          <div>
            <Label>Folders</Label>
            <ul aria-label="Folders">
              {folders.map(({ id, name, isOpen }) => (
                <li key={id} data-drop={id} className={DROP}>
                  <Link
                    to={`/chat/all?folder=${id}`}
                    title={name}
                    data-tool="folder"
                    aria-expanded={isOpen}
                    className={ROW}
                  >
                    <ChevronRight aria-hidden="true" className={isOpen ? "rotate-90" : undefined} />
                    <span dir="auto" className="min-w-0 flex-1 truncate text-start">
                      {toDisplayText(name)}
                    </span>
                  </Link>
                  {isOpen && (
                    <ul aria-label={toDisplayText(name)} className="ml-4.5 border-line border-l pl-1">
                      {conversations
                        .filter(({ period, folderId }) => period === "folder" && folderId === id)
                        .map(row)}
                      <li>
                        <Link to={`/chat/all?folder=${id}`} className={SMALL}>
                          Show Folder
                        </Link>
                      </li>
                      <li>
                        <Link to={`/chat/projects/${id}`} className={SMALL}>
                          Project
                        </Link>
                      </li>
                    </ul>
                  )}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div data-drop="" className={DROP}>
          {PERIODS.map(([period, label]) => listed(period, label))}
        </div>
        {hasOwn && (
          <Link to="/chat/all?deleted=true" className={`${SMALL} mt-1`}>
            Recently Deleted
          </Link>
        )}
      </div>
      {used && <tools.Part box={box} pressed={used} conversations={conversations} folders={folders} />}
    </nav>
  );
}
