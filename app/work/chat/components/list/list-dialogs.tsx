import { Form } from "@remix-run/react";
import { toDisplayText } from "~/core/well-formed";
import { Dialog, FormActions } from "~/ui/dialog";
import { Field, Select } from "~/ui/input";
import type { ConversationFolder } from "../../list/list.schema";

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

interface MoveDialogProps {
  conversation: { id: string; title: string; folderId: string | null };
  folders: readonly ConversationFolder[];
  closeTo: string;
}

export function MoveDialog({ conversation, folders, closeTo }: MoveDialogProps) {
  return (
    <Dialog
      title="Move to Folder"
      description={toDisplayText(conversation.title)}
      size="sm"
      closeTo={closeTo}
    >
      <Form method="post" preventScrollReset>
        <input type="hidden" name="ids" value={conversation.id} />
        <Field label="Folder" name="folderId">
          <FolderSelect folders={folders} value={conversation.folderId ?? ""} />
        </Field>
        <FormActions closeTo={closeTo} intent="move" label="Move" />
      </Form>
    </Dialog>
  );
}
