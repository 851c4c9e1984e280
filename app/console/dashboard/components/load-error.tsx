import { CircleAlert } from "lucide-react";

/** Replaces a part that failed to load. */
export function LoadError({ part }: { part: string }) {
  return (
    <p className="flex items-start gap-1.5 text-danger-ink">
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      {part} couldn't be loaded. Reload the page to try again.
    </p>
  );
}
