import { ConfirmDialog } from "~/ui/confirm-dialog";
import type { RebuildEstimate } from "~/work/index/indexes.schema";
import type { ListView } from "../../screens/rag-screen.schema";
import { ragAddress } from "../addresses";
import { SendingFacts } from "./embedding-offer";

export function RebuildDialog({ view, estimate }: { view: ListView; estimate: RebuildEstimate }) {
  const closeTo = ragAddress(view);
  const { sent, again } = estimate;
  return (
    <ConfirmDialog
      title="Rebuild the index?"
      description={`${describe(estimate)} The current index answers until the new one is complete.`}
      closeTo={closeTo}
      action={`/rag/changes?${new URLSearchParams({ returnTo: closeTo })}`}
      intent="rebuild-index"
      confirmLabel="Rebuild Index"
      tone="primary"
      {...(sent && again ? { children: <SendingFacts offer={sent} /> } : {})}
    />
  );
}

function describe({ sent, again }: RebuildEstimate): string {
  if (!sent) return "All documents are indexed again on this server.";
  if (again) return "All documents are sent to the embedding model again.";
  return `Chunks that have no vector yet are sent to ${sent.provider}; the others keep theirs.`;
}
