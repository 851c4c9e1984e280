import { useEffect, useState } from "react";
import type { Attachments } from "./use-attachments";

export type SendQueue = ReturnType<typeof useSendAfterUploads>;

/** Sends a message once its files are uploaded; if one is rejected, the message stays unsent with the reason. */
export function useSendAfterUploads({ items, uploading }: Attachments, sendNow: () => void) {
  const rejected = items.filter(({ state }) => state === "refused").length;
  /** The number of rejected files when the message was queued. */
  const [queuedWith, setQueuedWith] = useState<number>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: sends once, with the text at that time
  useEffect(() => {
    if (queuedWith === undefined) return;
    const isRejected = rejected > queuedWith;
    if (uploading > 0 && !isRejected) return;
    setQueuedWith(undefined);
    if (!isRejected) sendNow();
  }, [queuedWith, uploading, rejected]);
  return {
    isQueued: queuedWith !== undefined,
    add: () => setQueuedWith(rejected),
    cancel: () => setQueuedWith(undefined),
  };
}
