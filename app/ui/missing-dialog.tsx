import { MessageDialog } from "./message-dialog";

interface MissingDialogProps {
  /** Such as "Persona not found. It may have been deleted." */
  message: string;
  closeTo: string;
}

/** In place of a dialog about a record that can't be found. */
export function MissingDialog({ message, closeTo }: MissingDialogProps) {
  const [title, ...others] = message.split(/(?<=\.) /);
  return (
    <MessageDialog
      title={title?.replace(/\.$/, "")}
      description={others.join(" ") || undefined}
      closeTo={closeTo}
    />
  );
}
