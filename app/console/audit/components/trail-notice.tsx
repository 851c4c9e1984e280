import { actorName, type People } from "~/platform/audit/actor-name.shared";
import type { TrailCheck } from "~/platform/audit/audit.schema";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { countOf, formatCount } from "~/ui/format";
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

export function TrailCheckResult({ check, people }: { check: TrailCheck; people: People }) {
  const { broken, brokenAt, droppedUpTo, entries, fault } = check;
  const intact = `${countOf(entries, "entry", "entries")} intact`;
  if (brokenAt === null && fault === null) {
    return (
      <Notice kind="success" title="The audit trail is intact" className="mb-4">
        <p role="status">
          {intact}.
          {droppedUpTo > 0 &&
            ` Entries up to ${formatCount(droppedUpTo)} were dropped at a signed checkpoint.`}
        </p>
      </Notice>
    );
  }
  return (
    <Notice kind="danger" title="The audit trail is broken" className="mb-4">
      {fault && <p>{fault}</p>}
      {brokenAt !== null && (
        <p>
          First broken entry: {formatCount(brokenAt)}
          {broken
            ? ` (${broken.sentence}, ${actorName(broken, people)}, ${broken.createdAt}).`
            : ", which is missing."}
        </p>
      )}
      <p>{intact} before it. Compare the trail with a backup or an export.</p>
    </Notice>
  );
}
