import { Paperclip } from "lucide-react";

export function DropOverlay() {
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none fixed inset-0 z-60 grid place-items-center bg-scrim p-6"
    >
      <div className="flex flex-col items-center gap-3 rounded-xl border-2 border-primary-ink border-dashed bg-raised px-10 py-8 text-center shadow-float">
        <Paperclip className="size-8 text-primary-ink" />
        <p className="font-semibold text-md">Drop files to attach them</p>
      </div>
    </div>
  );
}
