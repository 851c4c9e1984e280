import { Download, FileText } from "lucide-react";
import { useRef, useState } from "react";
import { formatSize } from "~/ui/format";
import type { AttachmentPart } from "../../attachments/attachments.schema";
import { attachmentPath, isImage } from "../../attachments/limits.shared";
import type { ChatMessage } from "../../chat.schema";
import { ImageDialog } from "./image-dialog";

function Images({ images }: { images: readonly AttachmentPart[] }) {
  const [open, setOpen] = useState<AttachmentPart>();
  const opener = useRef<HTMLAnchorElement>();
  return (
    <>
      <ul aria-label="Attached images" className="flex flex-wrap gap-2">
        {images.map((image) => (
          <li key={image.id}>
            <a
              href={attachmentPath(image.id)}
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
                src={attachmentPath(image.id)}
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
                href={attachmentPath(id)}
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
