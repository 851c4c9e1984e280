import { Link } from "@remix-run/react";
import { FolderInput, Pencil, Pin, PinOff, Trash2, Workflow } from "lucide-react";
import { toDisplayText } from "~/core/well-formed";
import { Checkbox } from "~/ui/choice";
import { Dialog } from "~/ui/dialog";
import { FormDialog } from "~/ui/form-dialog";
import { Field, Select } from "~/ui/input";
import { MenuLink, MenuSubmit } from "~/ui/menu";
import type { ConversationSummary } from "../../chat.schema";
import type { ConversationFolder } from "../../projects/projects.schema";
import { ShareItem } from "../share-item";

interface FolderSelectProps {
  folders: readonly ConversationFolder[];
  value?: string;
  label?: string;
  className?: string;
}

export function FolderSelect({ folders, value = "", label, className }: FolderSelectProps) {
  return (
    <Select name="folderId" aria-label={label} defaultValue={value} className={className}>
      <option value="">No folder</option>
      {folders.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

interface ActionsDialogProps {
  conversation: Pick<ConversationSummary, "id" | "title" | "pinned">;
  dialogTo: (dialog: string, id: string) => string;
  closeTo: string;
}

/** What the menu of a conversation in the side navigation has, as a page without JavaScript. */
export function ActionsDialog({ conversation, dialogTo, closeTo }: ActionsDialogProps) {
  const { id, title, pinned } = conversation;
  return (
    <Dialog title="Conversation" description={toDisplayText(title)} size="sm" closeTo={closeTo}>
      <MenuLink to={dialogTo("rename", id)} icon={<Pencil />}>
        Rename
      </MenuLink>
      <MenuSubmit values={{ intent: pinned ? "unpin" : "pin", ids: id }} icon={pinned ? <PinOff /> : <Pin />}>
        {pinned ? "Unpin" : "Pin"}
      </MenuSubmit>
      <MenuLink to={dialogTo("move", id)} icon={<FolderInput />}>
        Move to Folder
      </MenuLink>
      <ShareItem id={id} />
      <MenuSubmit values={{ intent: "schedule", ids: id }} icon={<Workflow />}>
        Ask Every Weekday
      </MenuSubmit>
      <MenuSubmit values={{ intent: "delete", ids: id }} icon={<Trash2 />}>
        Delete
      </MenuSubmit>
    </Dialog>
  );
}

export const FOLDER_DELETION =
  "Conversations are kept without a folder, each with the person who began it. A project's members lose its files.";

export function KeepFiles() {
  return (
    <Checkbox
      name="keepFiles"
      value="true"
      label="Keep its files"
      hint="As documents that only you can see. Otherwise they are deleted."
    />
  );
}

interface MoveDialogProps {
  conversation: { id: string; title: string; folderId: string | null };
  folders: readonly ConversationFolder[];
  closeTo: string;
}

export function MoveDialog({ conversation, folders, closeTo }: MoveDialogProps) {
  return (
    <FormDialog
      title="Move to Folder"
      description={toDisplayText(conversation.title)}
      size="sm"
      closeTo={closeTo}
      hidden={{ ids: conversation.id }}
      intent="move"
      label="Move"
    >
      <Field label="Folder" name="folderId">
        <FolderSelect folders={folders} value={conversation.folderId ?? ""} />
      </Field>
      <p className="text-sm">
        <Link to="?dialog=new-folder" preventScrollReset className="text-primary-ink underline">
          New Folder
        </Link>
      </p>
      <p className="text-muted text-sm">
        In a project, the next answers use its instructions and find its files. What was written stays as it
        is, and stays yours: members don't see it.
      </p>
    </FormDialog>
  );
}
