import { Link } from "@remix-run/react";
import { formatCount } from "~/ui/format";
import { Notice } from "~/ui/notice";

const MAX_SHOWN = 8;

/** Shown before a member is removed. */
export function PausedWorkflows({
  workflows,
  rights,
}: {
  workflows: readonly { id: string; name: string }[];
  /** The reader's own or another member's. */
  rights: "your" | "this member's";
}) {
  if (workflows.length === 0) return null;
  const rest = workflows.length - MAX_SHOWN;
  return (
    <Notice
      kind="warning"
      className="mb-4"
      title={
        workflows.length === 1
          ? "1 workflow will pause"
          : `${formatCount(workflows.length)} workflows will pause`
      }
    >
      <ul className="my-1 list-disc pl-4">
        {workflows.slice(0, MAX_SHOWN).map(({ id, name }) => (
          <li key={id} className="break-words">
            <Link
              to={`/workflows/${id}`}
              className="inline-block min-h-6 underline underline-offset-4 pointer-coarse:min-h-11"
            >
              {name}
            </Link>
          </li>
        ))}
        {rest > 0 && <li>{formatCount(rest)} more</li>}
      </ul>
      They run with {rights} rights. Any other member can take them over.
    </Notice>
  );
}
