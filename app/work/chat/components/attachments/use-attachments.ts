import { useCallback, useEffect, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { UNREACHABLE } from "~/ui/failures";
import { countOf } from "~/ui/format";
import { keepInTab, readFromTab } from "~/ui/tab-storage";
import { showToast } from "~/ui/toast-store";
import type { Attachment } from "../../attachments/attachments.schema";
import { ATTACHMENT_LIMITS, sizeRefusal, TOO_MANY_FILES } from "../../attachments/limits.shared";
import type { ChatMessage } from "../../chat.schema";
import { newClientId } from "../new-client-id";
import type { sendFile, UploadResult } from "./send-file";

export type AttachedItem = { key: string; name: string; size: number } & (
  | { state: "uploading"; share: number }
  | { state: "ready"; attachment: Attachment }
  | { state: "refused"; error: string }
);

export type Attachments = ReturnType<typeof useAttachments>;

const keyOf = (person: string, conversationId: string | undefined) =>
  `attachments:${person}:${conversationId ?? "new"}`;

const toItem = (attachment: Attachment): AttachedItem => {
  const { id: key, name, size } = attachment;
  return { key, name, size, state: "ready", attachment };
};

const readyOf = (items: readonly AttachedItem[]) =>
  items.flatMap((item) => (item.state === "ready" ? [item.attachment] : []));

function load(key: string): AttachedItem[] {
  try {
    // Written by `save`.
    return (JSON.parse(readFromTab(key) ?? "[]") as Attachment[]).map(toItem);
  } catch {
    return [];
  }
}

/** Without the files of `messages`, which were sent although the page was left before the response. */
function loadUnsent(key: string, messages: readonly ChatMessage[] = []): AttachedItem[] {
  const items = load(key);
  const parts = messages.flatMap((message) => message.parts);
  const sent = new Set(parts.flatMap((part) => (part.type === "attachment" ? [part.id] : [])));
  const unsent = items.filter((item) => !sent.has(item.key));
  if (unsent.length < items.length) save(key, unsent);
  return unsent;
}

function save(key: string, items: readonly AttachedItem[]): void {
  const ready = readyOf(items);
  keepInTab(key, ready.length > 0 ? JSON.stringify(ready) : undefined);
}

function problemOf({ size, type }: File): string | undefined {
  if (!/^image\/(?:png|jpeg|webp|gif)$/.test(type)) return sizeRefusal(size, "file");
  return sizeRefusal(size, type === "image/gif" ? "image" : "shrinkable image");
}

/** Uploads one file by code that loads with the first one. */
async function send(...file: Parameters<typeof sendFile>): Promise<UploadResult> {
  try {
    return await (await import("./send-file")).sendFile(...file);
  } catch {
    return { error: UNREACHABLE };
  }
}

interface Options {
  person: string;
  conversationId: string | undefined;
  messages: readonly ChatMessage[] | undefined;
  returned: readonly Attachment[] | undefined;
}

export function useAttachments({ person, conversationId, messages, returned }: Options) {
  const [items, setItems] = useState<AttachedItem[]>(() => (returned ?? []).map(toItem));
  const current = useRef(items);
  const currentId = useRef(conversationId);
  const uploads = useRef(new Map<string, AbortController>());

  const put = useCallback(
    (next: AttachedItem[]) => {
      current.current = next;
      setItems(next);
      save(keyOf(person, currentId.current), next);
    },
    [person],
  );
  const replace = useCallback(
    (key: string, item: AttachedItem) => put(current.current.map((one) => (one.key === key ? item : one))),
    [put],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page's script takes over.
  useEffect(() => {
    loadUnsent(keyOf(person, undefined), messages);
    if (!returned) put(loadUnsent(keyOf(person, currentId.current), messages));
    const running = uploads.current;
    return () => {
      for (const controller of running.values()) controller.abort();
    };
  }, []);

  useEffect(() => {
    if (conversationId === currentId.current) return;
    currentId.current = conversationId;
    put(load(keyOf(person, conversationId)));
  }, [conversationId, person, put]);

  const add = useCallback(
    (files: readonly File[]) => {
      const room =
        ATTACHMENT_LIMITS.perMessage - current.current.filter(({ state }) => state !== "refused").length;
      if (files.length > room) {
        const title = `${countOf(files.length - room, "file")} not attached`;
        showToast({ kind: "info", title, description: TOO_MANY_FILES });
      }
      for (const file of files.slice(0, room)) {
        const { name, size } = file;
        const base = { key: newClientId(), name, size };
        const problem = problemOf(file);
        if (problem) {
          put([...current.current, { ...base, state: "refused", error: problem }]);
          continue;
        }
        put([...current.current, { ...base, state: "uploading", share: 0 }]);
        const controller = new AbortController();
        uploads.current.set(base.key, controller);
        const onProgress = (share: number) => replace(base.key, { ...base, state: "uploading", share });
        void send(file, onProgress, controller.signal).then((result) => {
          uploads.current.delete(base.key);
          if ("error" in result) replace(base.key, { ...base, state: "refused", error: result.error });
          else replace(base.key, { ...toItem(result.attachment), key: base.key });
        });
      }
    },
    [put, replace],
  );

  const remove = useCallback(
    (key: string) => {
      const item = current.current.find((one) => one.key === key);
      uploads.current.get(key)?.abort();
      put(current.current.filter((one) => one.key !== key));
      // The server deletes it after a day at the latest.
      if (item?.state === "ready")
        void fetch(withBase(`/api/attachments/${item.attachment.id}`), { method: "DELETE" }).catch(
          () => undefined,
        );
    },
    [put],
  );

  const take = useCallback((): Attachment[] => {
    const ready = readyOf(current.current);
    put([]);
    return ready;
  }, [put]);

  const restore = useCallback(
    (files: readonly Attachment[]) => put([...files.map(toItem), ...current.current]),
    [put],
  );

  const rename = useCallback(
    (id: string) => {
      save(keyOf(person, currentId.current), []);
      currentId.current = id;
      save(keyOf(person, id), current.current);
    },
    [person],
  );

  const uploading = items.filter(({ state }) => state === "uploading").length;
  useEffect(() => {
    if (uploading === 0) return;
    // Files that are still on their way would be lost.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [uploading]);
  return { items, ready: readyOf(items), uploading, add, remove, take, restore, rename };
}

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
