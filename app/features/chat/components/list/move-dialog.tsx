import { Form } from "@remix-run/react";
import { Dialog, FormActions } from "~/ui/dialog";
import type { ConversationFolder } from "../../list/list.schema";
import { toDisplayText } from "../../shown-text.shared";
import { FolderSelect } from "./folder-select";

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
        <FolderSelect folders={folders} value={conversation.folderId ?? ""} />
        <FormActions closeTo={closeTo} intent="move" label="Move" />
      </Form>
    </Dialog>
  );
}
