import { useEffect, useState } from "react";
import type { Attachments } from "./use-attachments";

export type SendQueue = ReturnType<typeof useSendAfterUploads>;

interface Queued {
  conversationId: string | undefined;
  /** Rejected files when the message was queued. */
  rejected: number;
}

/**
 * Sends a message once its files are uploaded. If one is rejected, it stays unsent with the reason; if the user opens
 * another conversation, it stays a draft.
 */
export function useSendAfterUploads(
  { items, uploading }: Attachments,
  conversationId: string | undefined,
  sendNow: () => void,
) {
  const rejected = items.filter(({ state }) => state === "refused").length;
  const [queued, setQueued] = useState<Queued>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: sends once, with the text at that time
  useEffect(() => {
    if (!queued) return;
    const isCanceled = rejected > queued.rejected || conversationId !== queued.conversationId;
    if (uploading > 0 && !isCanceled) return;
    setQueued(undefined);
    if (!isCanceled) sendNow();
  }, [queued, uploading, rejected, conversationId]);
  return {
    isQueued: queued !== undefined,
    add: () => setQueued({ conversationId, rejected }),
    cancel: () => setQueued(undefined),
  };
}
