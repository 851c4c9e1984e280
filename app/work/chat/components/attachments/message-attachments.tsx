import { Download, FileText, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { IconButton } from "~/ui/button";
import { formatSize } from "~/ui/format";
import type { AttachmentPart } from "../../attachments/attachments.schema";
import { attachmentPath, isImage } from "../../attachments/limits.shared";
import type { ChatMessage } from "../../chat.schema";

function ImageDialog({ image, onClose }: { image: AttachmentPart; onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog
      ref={box}
      aria-label={image.name}
      onClose={onClose}
      className="m-auto max-h-dvh max-w-[100vw] rounded-lg bg-raised p-3 text-ink shadow-float backdrop:bg-scrim"
    >
      <div className="mb-2 flex items-center gap-3">
        <bdi className="min-w-0 flex-1 truncate text-sm">{image.name}</bdi>
        <IconButton type="button" label="Close" icon={<X />} onClick={() => box.current?.close()} />
      </div>
      <img
        src={withBase(attachmentPath(image.id))}
        alt={image.name}
        width={image.width}
        height={image.height}
        className="h-auto max-h-[calc(100dvh-6rem)] w-auto max-w-full object-contain"
      />
    </dialog>
  );
}

function Images({ images }: { images: readonly AttachmentPart[] }) {
  const [open, setOpen] = useState<AttachmentPart>();
  const opener = useRef<HTMLAnchorElement>();
  return (
    <>
      <ul aria-label="Attached images" className="flex flex-wrap gap-2">
        {images.map((image) => (
          <li key={image.id}>
            <a
              href={withBase(attachmentPath(image.id))}
              target="_blank"
              rel="noreferrer"
              aria-label={`Open ${image.name}`}
              className="block overflow-hidden rounded-md border border-line bg-sunken"
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                opener.current = event.currentTarget;
                setOpen(image);
              }}
            >
              <img
                src={withBase(attachmentPath(image.id))}
                alt={image.name}
                width={image.width}
                height={image.height}
                loading="lazy"
                decoding="async"
                className="h-32 w-auto max-w-60 object-cover"
              />
            </a>
          </li>
        ))}
      </ul>
      {open && (
        <ImageDialog
          image={open}
          onClose={() => {
            setOpen(undefined);
            opener.current?.focus();
          }}
        />
      )}
    </>
  );
}

export function MessageAttachments({ message: { parts } }: { message: Pick<ChatMessage, "parts"> }) {
  const attached = parts.filter((part) => part.type === "attachment");
  if (attached.length === 0) return null;
  const images = attached.filter(isImage);
  const files = attached.filter((part) => !isImage(part));
  return (
    <div data-attachments="" className="space-y-2">
      {images.length > 0 && <Images images={images} />}
      {files.length > 0 && (
        <ul aria-label="Attached files" className="flex flex-wrap gap-2">
          {files.map(({ id, name, size }) => (
            <li key={id} className="min-w-0 max-w-full">
              <a
                href={withBase(attachmentPath(id))}
                download={name}
                className="flex min-h-11 min-w-0 items-center gap-2 rounded-md border border-line bg-raised px-3 py-1 text-sm hover:border-edge hover:bg-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted"
              >
                <FileText aria-hidden="true" />
                <bdi className="min-w-0 truncate">{name}</bdi>
                <span className="shrink-0 text-muted text-xs tabular-nums">{formatSize(size)}</span>
                <Download aria-hidden="true" />
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
