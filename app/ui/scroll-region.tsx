import type { ReactNode, Ref } from "react";

interface ScrollRegionProps {
  label: string;
  /** `log` for content that grows and is announced; a named region otherwise. */
  role?: "region" | "log";
  className?: string;
  children: ReactNode;
  scrollRef?: Ref<HTMLDivElement>;
  onScroll?: () => void;
}

export function ScrollRegion({
  label,
  role = "region",
  className,
  children,
  scrollRef,
  onScroll,
}: ScrollRegionProps) {
  // Scrollable regions must be focusable (WCAG 2.1.1).
  const reachable = { role, "aria-label": label, tabIndex: 0 };
  return (
    <div ref={scrollRef} className={className} onScroll={onScroll} {...reachable}>
      {children}
    </div>
  );
}
