import { type ComponentType, type ReactNode, type RefObject, useEffect, useRef, useState } from "react";

type Notice = ComponentType<{ section: RefObject<HTMLElement> }>;

/** A part of a page whose forms keep what was typed; see `UnsavedNotice`. */
export function KeptForms({ className, children }: { className?: string; children: ReactNode }) {
  const section = useRef<HTMLDivElement>(null);
  const [loaded, setLoaded] = useState<{ UnsavedNotice: Notice }>();
  // After hydration: the notice isn't part of the server's page.
  useEffect(() => {
    import("./unsaved-notice").then(setLoaded, () => undefined);
  }, []);
  return (
    <>
      {loaded && <loaded.UnsavedNotice section={section} />}
      <div ref={section} className={className}>
        {children}
      </div>
    </>
  );
}
