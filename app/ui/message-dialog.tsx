import type { ReactNode } from "react";
import { LinkButton } from "./button";
import { Dialog, DialogActions } from "./dialog";

interface MessageDialogProps {
  title: ReactNode;
  description?: ReactNode;
  closeTo: string;
}

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
