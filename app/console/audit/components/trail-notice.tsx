import { LinkButton } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { Notice } from "~/ui/notice";

interface TrailNoticeProps {
  problem: { message: string; canAccept: boolean };
  closeTo: string;
  acceptTo: string;
  isOpen: boolean;
}

export function TrailNotice({ problem, closeTo, acceptTo, isOpen }: TrailNoticeProps) {
  return (
    <>
      <Notice kind="danger" title="The audit trail may be incomplete" className="mb-4">
        <p>{problem.message}</p>
        <p className="mt-1">
          {problem.canAccept
            ? "If you restored a backup, accept the current trail. Otherwise compare it with a backup first."
            : "An owner can accept the current trail, for example after restoring a backup."}
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
          description="Missing entries are no longer reported. Your acceptance is recorded in the audit log."
          closeTo={closeTo}
          intent="accept"
          confirmLabel="Accept Current Trail"
        />
      )}
    </>
  );
}
