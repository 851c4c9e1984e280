import type { ReactNode } from "react";

export function DropOverlay({ icon, text }: { icon: ReactNode; text: string }) {
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none fixed inset-0 z-60 grid place-items-center bg-scrim p-6"
    >
      <div className="flex flex-col items-center gap-3 rounded-xl border-2 border-primary-ink border-dashed bg-raised px-10 py-8 text-center shadow-float [&_svg]:size-8 [&_svg]:text-primary-ink">
        {icon}
        <p className="font-semibold text-md">{text}</p>
      </div>
    </div>
  );
}
