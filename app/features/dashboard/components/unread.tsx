import { CircleAlert } from "lucide-react";

/** Stands for what the server couldn't read; the rest of the dashboard is unaffected. */
export function Unread({ what }: { what: string }) {
  return (
    <p className="flex items-start gap-1.5 text-danger-ink">
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      {what} couldn't be loaded. Reload the page to try again.
    </p>
  );
}
