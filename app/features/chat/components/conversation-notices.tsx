import { ApprovedTools } from "./approved-tools";
import { SharingAllowed } from "./sharing";

interface ConversationNoticesProps {
  approvedTools: readonly string[];
}

/** What was allowed for a whole conversation, to be withdrawn. */
export function ConversationNotices({ approvedTools }: ConversationNoticesProps) {
  return (
    <div data-notices="" className="pb-3 print:hidden">
      <SharingAllowed />
      <ApprovedTools tools={approvedTools} />
    </div>
  );
}
