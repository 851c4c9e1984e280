import { type ReactNode, useRef } from "react";
import { UnsavedNotice } from "./unsaved-notice";

/** A part of a page whose forms keep what was typed; see `UnsavedNotice`. */
export function KeptForms({ className, children }: { className?: string; children: ReactNode }) {
  const section = useRef<HTMLDivElement>(null);
  return (
    <>
      <UnsavedNotice section={section} />
      <div ref={section} className={className}>
        {children}
      </div>
    </>
  );
}
