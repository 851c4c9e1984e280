import {
  Archive,
  ArchiveRestore,
  FolderInput,
  MessageSquare,
  Pencil,
  Pin,
  PinOff,
  Trash2,
  Undo2,
} from "lucide-react";
import { toDisplayText } from "~/core/well-formed";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Row } from "~/ui/row";
import type { RowAction } from "~/ui/row-actions";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import type { ConversationSummary } from "../../chat.schema";
import type { ConversationFolder } from "../../list/list.schema";
import { ActivityBadge } from "./activity-mark";
import { FolderSelect } from "./folder-select";

interface ConversationListProps {
  conversations: readonly ConversationSummary[];
  folders: readonly ConversationFolder[];
  archived: boolean;
  /** Whether these are deleted ones, which can only be restored. */
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
