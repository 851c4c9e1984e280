import type { ReactNode } from "react";
import { LinkButton } from "./button";
import { Dialog, DialogActions } from "./dialog";

interface MessageDialogProps {
  title: ReactNode;
  description?: ReactNode;
  closeTo: string;
}

/** A message that can only be closed. */
export function MessageDialog({ title, description, closeTo }: MessageDialogProps) {
  return (
    <Dialog size="sm" title={title} description={description} closeTo={closeTo}>
      <DialogActions withoutContent>
        <LinkButton to={closeTo} preventScrollReset>
          Close
        </LinkButton>
      </DialogActions>
    </Dialog>
  );
}

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
