import { LinkButton } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { Notice } from "~/ui/notice";

interface TrailNoticeProps {
  problem: { message: string; canAccept: boolean };
  /** The screen's address without and with the open dialog. */
  closeTo: string;
  acceptTo: string;
  isOpen: boolean;
}

/** Says that the trail's end can't be trusted, with the owner's way to accept it. */
export function TrailNotice({ problem, closeTo, acceptTo, isOpen }: TrailNoticeProps) {
  return (
    <>
      <Notice kind="danger" title="The audit trail may be incomplete" className="mb-4">
        <p>{problem.message}</p>
        <p className="mt-1">
          {problem.canAccept
            ? "If you restored a backup, accept the trail as it is. Otherwise compare it with a copy first."
            : "An owner can accept the trail as it is, such as after a backup was restored."}
        </p>
        {problem.canAccept && (
          <LinkButton to={acceptTo} preventScrollReset className="mt-2">
            Accept Current Trail
          </LinkButton>
        )}
      </Notice>
      {isOpen && problem.canAccept && (
        <ConfirmDialog
          title="Accept the current trail as complete?"
          description="Entries that are missing now are no longer reported. The acceptance is recorded with your name."
          closeTo={closeTo}
          intent="accept"
          confirmLabel="Accept Current Trail"
        />
      )}
    </>
  );
}
