import { CircleAlert } from "lucide-react";

/** Replaces a part that couldn't be read. */
export function Unread({ what }: { what: string }) {
  return (
    <p className="flex items-start gap-1.5 text-danger-ink">
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      {what} couldn't be loaded. Reload the page to try again.
    </p>
  );
}
