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
