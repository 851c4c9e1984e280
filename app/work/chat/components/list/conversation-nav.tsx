import { Form, Link, useFetcher, useLocation, useRevalidator } from "@remix-run/react";
import {
  ChevronRight,
  Ellipsis,
  Folder,
  FolderPlus,
  List,
  Search,
  SquarePen,
  Trash2,
  Users,
} from "lucide-react";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { toDisplayText } from "~/core/well-formed";
import { cx } from "~/ui/class-names";
import { lazyPart } from "~/ui/lazy-part";
import { keepInCookie, readFromCookie } from "~/ui/tab-storage";
import { useRestoredFocus } from "~/ui/use-restored-focus";
import { FOLDERS_COOKIE, withFolder } from "../../chat-choices.shared";
import type { ConversationNavigation, ListedConversation, ListPeriod } from "../../list/list.schema";
import { ActivityMark } from "./activity-mark";
import type { OpenMenu } from "./conversation-tools";

const PERIODS: readonly (readonly [ListPeriod, string])[] = [
  ["today", "Today"],
  ["week", "Last 7 days"],
  ["older", "Older"],
];

const ROW =
  "flex min-h-8 items-center gap-2.5 rounded-md px-2.5 py-1 text-muted hover:bg-hover hover:text-ink focus-visible:outline-offset-[-2px] aria-[current]:bg-active aria-[current]:text-ink pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0";

/** What is dragged within the page. */
const DRAGGED = "application/x-conversation";

const loadTools = () => import("./conversation-tools");
const menu = lazyPart(
  () => loadTools().then((module) => module.ConversationMenu),
  "[data-conversation-menu]",
);
const titleField = lazyPart(() => loadTools().then((module) => module.TitleField), "[data-title-field]");
const found = lazyPart(() => loadTools().then((module) => module.FoundConversations), "[data-found]");

const rowOf = (id: string) => `[data-row="${CSS.escape(id)}"] a`;

/** One file. */
const preloadTools = menu.preload;

interface ConversationNavProps extends ConversationNavigation {
  hasShared: boolean;
  className?: string;
}

export function ConversationNav({ conversations, folders, hasShared, className }: ConversationNavProps) {
  const { pathname, search } = useLocation();
  const { submit } = useFetcher();
  const { revalidate } = useRevalidator();
  const box = useRef<HTMLElement>(null);
  const [opened, setOpened] = useState<OpenMenu>();
  /** The list's key and the conversation's id of the row whose title is a field. */
  const [renamed, setRenamed] = useState<string>();
  const [target, setTarget] = useState<string>();
  const [query, setQuery] = useState("");
  const currentAt = (path: string) => (pathname === path ? "page" : undefined);
  const change = (values: Record<string, string>) => {
    const id = values.ids ?? values.id ?? "";
    const leaves = values.intent === "delete" && pathname.startsWith(`/chat/${id}`);
    const returnTo = leaves ? "/chat" : pathname + search;
    // As of a dialog, so that the answer's address takes the place of this one.
    const action = `/chat/all?dialog=actions&id=${id}`;
    submit({ ...values, returnTo }, { method: "post", action, preventScrollReset: true });
  };
  useRestoredFocus(box, conversations);
  /** Takes conversations dropped on it into a folder, or out of theirs. */
  const takesDrops = (folderId: string) => ({
    "data-target": target === folderId || undefined,
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(DRAGGED)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
      setTarget(folderId);
    },
    onDragLeave: () => setTarget(undefined),
    onDrop: (event: DragEvent) => {
      const ids = event.dataTransfer.getData(DRAGGED);
      setTarget(undefined);
      if (ids === "") return;
      event.preventDefault();
      change({ intent: "move", ids, folderId });
    },
  });
  const toggle = (id: string, isOpen: boolean) => {
    keepInCookie(FOLDERS_COOKIE, withFolder(readFromCookie(FOLDERS_COOKIE), id, isOpen));
    revalidate();
  };

  const row = (conversation: ListedConversation) => {
    const { id, activity, period } = conversation;
    const shown = toDisplayText(conversation.title);
    const key = `${period} ${id}`;
    const path = `/chat/${id}`;
    const open = (at: OpenMenu["at"]) => setOpened({ conversation, at });
    if (renamed === key) {
      const close = (restoresFocus: boolean) => {
        setRenamed(undefined);
        // Once the link has taken the field's place.
        if (restoresFocus)
          requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(rowOf(id))?.focus());
      };
      return (
        <li key={id} data-row={id}>
          <titleField.Part {...conversation} onRename={change} onClose={close} />
        </li>
      );
    }
    return (
      <li key={id} data-row={id} className="group/row relative">
        <Link
          to={path}
          title={shown}
          aria-current={currentAt(path)}
          className={cx(
            ROW,
            "pointer-coarse:pr-11 group-focus-within/row:pr-9 group-hover/row:bg-hover group-hover/row:pr-9",
          )}
          onDragStart={({ dataTransfer }) => {
            dataTransfer.setData(DRAGGED, id);
            dataTransfer.effectAllowed = "copyMove";
          }}
          onContextMenu={(event) => {
            // The browser's own menu, as for any link.
            if (event.shiftKey) return;
            event.preventDefault();
            const { left, bottom } = event.currentTarget.getBoundingClientRect();
            // Keys have no place.
            const isByKey = event.clientX === 0 && event.clientY === 0;
            open(isByKey ? { x: left, y: bottom } : { x: event.clientX, y: event.clientY });
          }}
        >
          <span dir="auto" className="min-w-0 flex-1 truncate text-start">
            {shown}
          </span>
          {activity && !(activity === "unread" && pathname === path) && <ActivityMark activity={activity} />}
        </Link>
        <Link
          to={`/chat/all?dialog=actions&id=${id}`}
          preventScrollReset
          aria-label={`Actions for ${shown}`}
          aria-haspopup="menu"
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            const { left, bottom } = event.currentTarget.getBoundingClientRect();
            open({ x: left, y: bottom + 4 });
          }}
          className="absolute inset-y-0 right-1 my-auto grid size-7 place-items-center rounded-sm text-muted opacity-0 hover:bg-active hover:text-ink focus-visible:opacity-100 group-focus-within/row:opacity-100 group-hover/row:opacity-100 pointer-coarse:size-11 pointer-coarse:opacity-100 [&_svg]:size-4"
        >
          <Ellipsis aria-hidden="true" />
        </Link>
      </li>
    );
  };
  const listed = (period: ListPeriod, label: string, heading: ReactNode = label) => {
    const ofPeriod = conversations.filter((one) => one.period === period);
    if (ofPeriod.length === 0) return null;
    return (
      <div key={period}>
        <p aria-hidden="true" className="px-2.5 pt-2 pb-1 font-medium text-muted text-xs">
          {heading}
        </p>
        <ul aria-label={label}>{ofPeriod.map(row)}</ul>
      </div>
    );
  };

  return (
    <nav
      ref={box}
      aria-label="Conversations"
      onPointerEnter={preloadTools}
      onFocus={preloadTools}
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
          autoComplete="off"
          aria-label="Search conversations"
          placeholder="Search conversations"
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || query === "") return;
            event.preventDefault();
            event.currentTarget.value = "";
            setQuery("");
          }}
          className="min-h-8 w-full rounded-md border border-line border-b-edge bg-sunken pr-2 pl-8.5 text-ink text-sm pointer-coarse:min-h-11"
        />
      </Form>
      {query.trim() === "" ? (
        <>
          {listed("pinned", "Pinned")}
          {folders.length > 0 && (
            <div>
              <div className="flex items-center justify-between pt-1 pl-2.5">
                <p aria-hidden="true" className="font-medium text-muted text-xs">
                  Folders
                </p>
                <Link
                  to="/chat/all?dialog=new-folder"
                  aria-label="New Folder"
                  title="New Folder"
                  className="grid size-7 place-items-center rounded-sm text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11 [&_svg]:size-4"
                >
                  <FolderPlus aria-hidden="true" />
                </Link>
              </div>
              <ul aria-label="Folders">
                {folders.map(({ id, name, isOpen }) => (
                  <li
                    key={id}
                    {...takesDrops(id)}
                    className="rounded-md data-target:bg-primary-soft data-target:outline-2 data-target:outline-focus"
                  >
                    <Link
                      to={`/chat/all?folder=${id}`}
                      title={name}
                      aria-expanded={isOpen}
                      className={ROW}
                      onClick={(event) => {
                        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                        event.preventDefault();
                        toggle(id, !isOpen);
                      }}
                    >
                      <Folder aria-hidden="true" />
                      <span dir="auto" className="min-w-0 flex-1 truncate text-start">
                        {toDisplayText(name)}
                      </span>
                      <ChevronRight
                        aria-hidden="true"
                        className={cx("transition-transform", isOpen && "rotate-90")}
                      />
                    </Link>
                    {isOpen && (
                      <ul aria-label={toDisplayText(name)} className="ml-4.5 border-line border-l pl-1">
                        {conversations
                          .filter(({ period, folderId }) => period === "folder" && folderId === id)
                          .map(row)}
                        <li>
                          <Link to={`/chat/all?folder=${id}`} className={cx(ROW, "text-xs")}>
                            Show Folder
                          </Link>
                        </li>
                      </ul>
                    )}
                  </li>
                ))}
              </ul>
            </div>
          )}
          <div
            {...takesDrops("")}
            className="rounded-md data-target:bg-primary-soft data-target:outline-2 data-target:outline-focus"
          >
            {PERIODS.map(([period, label]) => listed(period, label))}
          </div>
          {conversations.length > 0 && (
            <Link to="/chat/all?deleted=true" className={cx(ROW, "mt-1 shrink-0 text-xs")}>
              <Trash2 aria-hidden="true" />
              Recently Deleted
            </Link>
          )}
        </>
      ) : (
        <found.Part query={query} rowClassName={ROW} />
      )}
      {opened && (
        <menu.Part
          key={`${opened.conversation.id} ${opened.at.x} ${opened.at.y}`}
          {...opened}
          folders={folders}
          onChange={change}
          onRename={() => {
            setRenamed(`${opened.conversation.period} ${opened.conversation.id}`);
          }}
          onClose={() => setOpened(undefined)}
        />
      )}
    </nav>
  );
}
