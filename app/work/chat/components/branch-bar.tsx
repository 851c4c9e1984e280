import { Form } from "@remix-run/react";
import { Button, LinkButton } from "~/ui/button";

interface BranchBarProps {
  action: string;
  last: string;
  isActiveBranch: boolean;
}

/** Replaces the composer when the end of the conversation isn't shown. */
export function BranchBar({ action, last, isActiveBranch }: BranchBarProps) {
  return (
    <div
      data-branch-bar=""
      className="flex flex-wrap items-center justify-between gap-2 rounded-lg border border-line bg-surface p-3 text-sm shadow-card"
    >
      <p className="text-muted">
        {isActiveBranch ? "These are earlier messages." : "This is another version of the conversation."}
      </p>
      <div className="flex flex-wrap gap-2">
        {!isActiveBranch && (
          <Form method="post" action={action}>
            <input type="hidden" name="messageId" value={last} />
            <Button name="intent" value="variant" size="sm">
              Continue This Version
            </Button>
          </Form>
        )}
        <LinkButton to={action} size="sm" variant="primary">
          Show Latest Messages
        </LinkButton>
      </div>
    </div>
  );
}
