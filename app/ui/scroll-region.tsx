import type { ReactNode, Ref } from "react";

interface ScrollRegionProps {
  label: string;
  /** `log` for what grows and is announced; a named region otherwise. */
  role?: "region" | "log";
  className?: string;
  children: ReactNode;
  scrollRef?: Ref<HTMLDivElement>;
  onScroll?: () => void;
}

/** A part of the page that scrolls in itself and can be reached and scrolled by keyboard. */
export function ScrollRegion({
  label,
  role = "region",
  className,
  children,
  scrollRef,
  onScroll,
}: ScrollRegionProps) {
  // What scrolls must be able to take the focus, or a keyboard can't reach its end (WCAG 2.1.1).
  const reachable = { role, "aria-label": label, tabIndex: 0 };
  return (
    <div ref={scrollRef} className={className} onScroll={onScroll} {...reachable}>
      {children}
    </div>
  );
}
