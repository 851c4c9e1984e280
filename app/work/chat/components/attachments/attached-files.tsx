import { CircleAlert, FileText, X } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { withBase } from "~/core/base-path";
import { Button, IconButton, Spinner } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { formatSize } from "~/ui/format";
import { useHydrated } from "~/ui/hydration";
import { attachmentPath, isImage } from "../../attachments/limits.shared";
import type { AttachedItem, Attachments, SendQueue } from "./use-attachments";

function Thumbnail({ item }: { item: AttachedItem }): ReactNode {
  if (item.state === "uploading") return <Spinner />;
  if (item.state === "refused") return <CircleAlert aria-hidden="true" className="text-danger-ink" />;
  if (!isImage(item.attachment)) return <FileText aria-hidden="true" className="text-muted" />;
  return (
    <img
      src={withBase(attachmentPath(item.attachment.id))}
      alt=""
      className="size-9 rounded-sm object-cover"
    />
  );
}

function detailOf(item: AttachedItem): string {
  if (item.state === "refused") return item.error;
  if (item.state === "ready") return formatSize(item.size);
  return item.share < 1 ? `Uploading, ${Math.round(item.share * 100)}%` : "Reading…";
}

function SendCheckbox({ item }: { item: Extract<AttachedItem, { state: "ready" }> }) {
  const hydrated = useHydrated();
  const { id } = item.attachment;
  if (hydrated) return null;
  return (
    <input
      type="checkbox"
      name="attachments"
      value={id}
      defaultChecked
      aria-label={`Send ${item.name}`}
      className="size-5 shrink-0"
    />
  );
}

function nextFocus(button: HTMLButtonElement): HTMLElement | null | undefined {
  const row = button.closest("li");
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  return next?.querySelector("button") ?? button.form?.querySelector("textarea");
}

interface AttachedFilesProps extends Pick<Attachments, "items" | "remove"> {
  queue: SendQueue | undefined;
}

export function AttachedFiles({ items, remove, queue }: AttachedFilesProps) {
  const hydrated = useHydrated();
  const list = useRef<HTMLUListElement>(null);
  const newest = items.at(-1)?.key;
  useEffect(() => {
    if (newest !== undefined) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [newest]);
  if (items.length === 0) return null;
  return (
    <>
      <ul ref={list} aria-label="Attached files" className="flex max-h-40 flex-wrap gap-2 overflow-y-auto">
        {items.map((item) => (
          <li
            key={item.key}
            className={cx(
              "flex min-h-11 min-w-0 max-w-full items-center gap-2 rounded-md border bg-raised py-1 pl-2",
              hydrated ? "pr-1" : "pr-2",
              item.state === "refused" ? "border-danger/30" : "border-line",
            )}
          >
            {item.state === "ready" && <SendCheckbox item={item} />}
            <span className="grid size-9 shrink-0 place-items-center [&>svg]:size-5">
              <Thumbnail item={item} />
            </span>
            <span className="min-w-0 text-sm" role={item.state === "refused" ? "alert" : undefined}>
              <bdi className={cx("block truncate", item.state === "refused" ? "max-w-full" : "max-w-44")}>
                {item.name}
              </bdi>
              <span
                className={cx(
                  "wrap-anywhere block text-xs tabular-nums",
                  item.state === "refused" ? "text-danger-ink" : "text-muted",
                )}
              >
                {detailOf(item)}
              </span>
            </span>
            {hydrated && (
              <IconButton
                type="button"
                label={`Remove ${item.name}`}
                icon={<X />}
                onClick={({ currentTarget }) => {
                  nextFocus(currentTarget)?.focus();
                  remove(item.key);
                }}
              />
            )}
          </li>
        ))}
      </ul>
      <p role="status" className="flex flex-wrap items-center gap-x-2 text-muted text-sm empty:hidden">
        {queue?.isQueued && (
          <>
            Sends once its files are uploaded
            <Button
              type="button"
              size="sm"
              onClick={({ currentTarget }) => {
                currentTarget.form?.querySelector("textarea")?.focus();
                queue.cancel();
              }}
            >
              Don't Send Yet
            </Button>
          </>
        )}
      </p>
    </>
  );
}
