import { ApprovedTools } from "./approved-tools";
import { SharingAllowed } from "./sharing";

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
