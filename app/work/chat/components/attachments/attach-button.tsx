import { Paperclip } from "lucide-react";
import { useRef } from "react";
import { IconButton } from "~/ui/button";
import { ACCEPTED_ATTACHMENTS } from "../../attachments/limits.shared";

export function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      {/* Reserves its space until JavaScript runs. */}
      <span className="invisible inline-flex scripted:visible">
        <IconButton
          type="button"
          label="Attach Files"
          icon={<Paperclip />}
          onClick={() => field.current?.click()}
        />
      </span>
      <input
        ref={field}
        type="file"
        multiple
        accept={ACCEPTED_ATTACHMENTS}
        aria-label="Attach Files"
        className="hidden"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
      <noscript>
        <input
          type="file"
          name="files"
          multiple
          accept={ACCEPTED_ATTACHMENTS}
          aria-label="Attach Files"
          className="min-h-11 min-w-0 max-w-full py-2 text-muted text-sm file:mr-3 file:rounded-md file:border file:border-line file:bg-surface file:px-3 file:py-1 file:text-ink"
        />
      </noscript>
    </>
  );
}
