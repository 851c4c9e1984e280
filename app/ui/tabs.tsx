import { Link } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { cx } from "./class-names";

export interface Tab {
  label: string;
  to: string;
  active: boolean;
  count?: number;
}

export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const strip = useRef<HTMLElement>(null);
  const active = tabs.find((tab) => tab.active)?.to;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to another active tab.
  useEffect(() => {
    const frame = strip.current;
    const tab = frame?.querySelector<HTMLElement>("[aria-current=page]");
    if (!frame || !tab) return;
    const show = () => {
      frame.scrollLeft = tab.offsetLeft - (frame.clientWidth - tab.offsetWidth) / 2;
    };
    // Observing calls it once, and again when the window is resized or a phone turned.
    const observer = new ResizeObserver(show);
    observer.observe(frame);
    return () => observer.disconnect();
  }, [active]);
  return (
    <nav
      ref={strip}
      aria-label={label}
      className="-mx-4 mask-x-from-[calc(100%-1rem)] relative overflow-x-auto px-4 print:hidden xl:mx-0 xl:mask-none xl:px-0"
    >
      <ul className="flex min-w-max gap-1 border-line border-b">
        {tabs.map((tab) => (
          <li key={tab.to}>
            <Link
              to={tab.to}
              preventScrollReset
              aria-current={tab.active ? "page" : undefined}
              className={cx(
                "-mb-px flex min-h-10 items-center gap-2 border-b-2 px-2 font-medium transition-colors pointer-coarse:min-h-11 xl:px-3",
                "focus-visible:rounded-sm focus-visible:outline-offset-[-2px]",
                // The browser scrolls to it without a script.
                tab.active
                  ? "border-primary-ink text-ink [scroll-initial-target:nearest]"
                  : "border-transparent text-muted hover:text-ink",
              )}
            >
              {tab.label}
              {tab.count !== undefined && (
                <span className="rounded-full bg-active px-1.5 text-muted text-xs">{tab.count}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Above a page's content. */
export function PageTabs(props: { label: string; tabs: Tab[] }) {
  return (
    <div className="mb-4">
      <Tabs {...props} />
    </div>
  );
}
