import { useContext } from "react";
import { Button } from "~/ui/button";
import { Notice } from "~/ui/notice";
import { ApprovalsContext } from "./conversation-provider";
import { SharingAllowed } from "./sharing";

/** The tools that are approved for the whole conversation. */
function ApprovedTools({ tools }: { tools: readonly string[] }) {
  const approvals = useContext(ApprovalsContext);
  if (!approvals || tools.length === 0) return null;
  return (
    <Notice kind="info" title="Approved for this conversation">
      <ul className="mt-1 space-y-1">
        {tools.map((tool) => (
          <li key={tool} className="flex flex-wrap items-center justify-between gap-2">
            <span className="wrap-anywhere font-mono text-sm">{tool}</span>
            <form method="post" action={approvals.action}>
              <input type="hidden" name="intent" value="withdraw-approval" />
              <input type="hidden" name="tool" value={tool} />
              <Button size="sm" aria-label={`Withdraw the approval of ${tool}`}>
                Withdraw
              </Button>
            </form>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

interface ConversationNoticesProps {
  approvedTools: readonly string[];
}

/** Permissions granted for the whole conversation, each with a button to withdraw it. */
export function ConversationNotices({ approvedTools }: ConversationNoticesProps) {
  return (
    <div data-notices="" className="pb-3 print:hidden">
      <SharingAllowed />
      <ApprovedTools tools={approvedTools} />
    </div>
  );
}
