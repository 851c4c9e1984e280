import { Form, Link } from "@remix-run/react";
import {
  Archive,
  ArchiveRestore,
  FolderInput,
  FolderPlus,
  MessageSquare,
  Pencil,
  Pin,
  PinOff,
  Search,
  Trash2,
  Undo2,
} from "lucide-react";
import { toDisplayText } from "~/core/well-formed";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { ChipLink } from "~/ui/chip-link";
import { Input } from "~/ui/input";
import { Row } from "~/ui/row";
import type { RowAction } from "~/ui/row-actions";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import type { ConversationSummary } from "../../chat.schema";
import type { MessageHit } from "../../list/list.schema";
import type { ConversationFolder } from "../../projects/projects.schema";
import { ActivityBadge } from "./activity-mark";
import { FolderSelect } from "./list-dialogs";

interface ConversationListProps {
  conversations: readonly ConversationSummary[];
  folders: readonly ConversationFolder[];
  archived: boolean;
  deleted: boolean;
  dialogTo: (dialog: string, id: string) => string;
}

function actionsOf(
  conversation: ConversationSummary,
  dialogTo: ConversationListProps["dialogTo"],
): RowAction[] {
  const { id, pinned, archived } = conversation;
  const post = (intent: string) => ({ values: { intent, ids: id } });
  return [
    { label: "Rename", icon: <Pencil aria-hidden="true" />, to: dialogTo("rename", id) },
    pinned
      ? { label: "Unpin", icon: <PinOff aria-hidden="true" />, ...post("unpin") }
      : { label: "Pin", icon: <Pin aria-hidden="true" />, ...post("pin") },
    {
      label: "Move to Folder",
      fullLabel: `Move ${toDisplayText(conversation.title)} to a folder`,
      icon: <FolderInput aria-hidden="true" />,
      to: dialogTo("move", id),
    },
    archived
      ? { label: "Unarchive", icon: <ArchiveRestore aria-hidden="true" />, ...post("unarchive") }
      : { label: "Archive", icon: <Archive aria-hidden="true" />, ...post("archive") },
    { label: "Delete", icon: <Trash2 aria-hidden="true" />, ...post("delete") },
  ];
}

const restoreAction = (id: string): RowAction => ({
  label: "Restore",
  icon: <Undo2 aria-hidden="true" />,
  values: { intent: "restore-selected", ids: id },
});

export function ConversationList(props: ConversationListProps) {
  const { conversations, folders, archived, deleted, dialogTo } = props;
  const folderName = (id: string | null) => folders.find((folder) => folder.id === id)?.name;
  return (
    <RowList
      label="Conversations"
      selection={{
        noun: "conversation",
        bar: deleted ? (
          <Button size="sm" name="intent" value="restore-selected">
            Restore
          </Button>
        ) : (
          <>
            {folders.length > 0 && (
              <>
                <FolderSelect folders={folders} label="Move to folder" className="w-40" />
                <Button size="sm" name="intent" value="move">
                  Move
                </Button>
              </>
            )}
            <Button size="sm" name="intent" value={archived ? "unarchive" : "archive"}>
              {archived ? "Unarchive" : "Archive"}
            </Button>
            <Button size="sm" variant="danger" name="intent" value="delete" data-asks="Delete">
              Delete
            </Button>
          </>
        ),
      }}
    >
      {conversations.map((conversation) => (
        <Row
          key={conversation.id}
          name={toDisplayText(conversation.title)}
          to={deleted ? undefined : `/chat/${conversation.id}`}
          select={conversation.id}
          icon={conversation.pinned ? <Pin aria-label="Pinned" /> : <MessageSquare aria-hidden="true" />}
          badges={folderName(conversation.folderId) && <Badge>{folderName(conversation.folderId)}</Badge>}
          state={conversation.activity && <ActivityBadge activity={conversation.activity} />}
          meta={<RelativeTime at={conversation.updatedAt} />}
          actions={deleted ? [restoreAction(conversation.id)] : actionsOf(conversation, dialogTo)}
        />
      ))}
    </RowList>
  );
}

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

interface ListFiltersProps {
  q: string;
  folder: string | undefined;
  archived: boolean;
  deleted: boolean;
  folders: readonly ConversationFolder[];
  newFolderTo: string;
}

export function ListFilters({ q, folder, archived, deleted, folders, newFolderTo }: ListFiltersProps) {
  const chips = [
    { label: "All", to: "/chat/all", isCurrent: q === "" && !folder && !archived && !deleted },
    ...folders.map(({ id, name }) => ({
      label: name,
      to: `/chat/all?folder=${id}`,
      isCurrent: q === "" && folder === id,
    })),
    { label: "Archived", to: "/chat/all?archived=true", isCurrent: q === "" && archived },
    { label: "Recently Deleted", to: "/chat/all?deleted=true", isCurrent: q === "" && deleted },
  ];
  return (
    <div className="mb-4 flex flex-col gap-3">
      <Form role="search" aria-label="Messages" action="/chat/all" className="flex max-w-xl gap-2">
        <Input
          key={q}
          type="search"
          name="q"
          defaultValue={q}
          maxLength={200}
          aria-label="Search your messages"
          placeholder="Search your messages"
        />
        <Button icon={<Search aria-hidden="true" />}>Search</Button>
      </Form>
      <div className="flex flex-wrap items-center gap-2">
        <ul aria-label="Filters" className="contents">
          {chips.map(({ label, to, isCurrent }) => (
            <li key={to} className="min-w-0">
              <ChipLink to={to} isCurrent={isCurrent}>
                {label}
              </ChipLink>
            </li>
          ))}
        </ul>
        <LinkButton to={newFolderTo} size="sm" variant="ghost" icon={<FolderPlus />} preventScrollReset>
          New Folder
        </LinkButton>
      </div>
    </div>
  );
}
