import { X } from "lucide-react";
import { useEffect, useRef } from "react";
import { IconButton } from "~/ui/button";
import type { AttachmentPart } from "../../attachments/attachments.schema";
import { attachmentPath } from "../../attachments/limits.shared";

/** With JavaScript only; without it, the image's address. */
export function ImageDialog({ image, onClose }: { image: AttachmentPart; onClose: () => void }) {
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
        src={attachmentPath(image.id)}
        alt={image.name}
        width={image.width}
        height={image.height}
        className="h-auto max-h-[calc(100dvh-6rem)] w-auto max-w-full object-contain"
      />
    </dialog>
  );
}
