import { useContext } from "react";
import { withBase } from "~/core/base-path";
import { Button } from "~/ui/button";
import { Notice } from "~/ui/notice";
import { type Sharing, SharingContext } from "./conversation-provider";

function SharingForm({ sharing, allow }: { sharing: Sharing; allow: boolean }) {
  return (
    <form
      method="post"
      action={withBase(sharing.action)}
      onSubmit={sharing.onSubmit}
      data-sends-itself
      className="mt-2"
    >
      <input type="hidden" name="intent" value={allow ? "allow-sharing" : "withdraw-sharing"} />
      <Button size="sm">{allow ? "Allow for This Conversation" : "Withdraw"}</Button>
    </form>
  );
}

export function SharingRefusal({ reason }: { reason: string }) {
  const sharing = useContext(SharingContext);
  return (
    <Notice kind="warning">
      <p className="wrap-anywhere">{reason}</p>
      {sharing?.allowed === false && <SharingForm sharing={sharing} allow />}
      {sharing?.allowed && <p className="mt-1">Now allowed. Regenerate the answer, or ask again.</p>}
    </Notice>
  );
}

export function SharingAllowed() {
  const sharing = useContext(SharingContext);
  if (!sharing?.allowed) return null;
  return (
    <Notice kind="warning" title="Tools can share restricted content">
      <p>
        This conversation contains passages from restricted documents. Its tools can write where everyone in
        the organization can read, and send data outside.
      </p>
      <SharingForm sharing={sharing} allow={false} />
    </Notice>
  );
}
