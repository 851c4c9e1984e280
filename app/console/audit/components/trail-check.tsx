import { actorName, type People } from "~/platform/audit/actor-name.shared";
import type { TrailCheck } from "~/platform/audit/audit.schema";
import { countOf, formatCount } from "~/ui/format";
import { Notice } from "~/ui/notice";

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
