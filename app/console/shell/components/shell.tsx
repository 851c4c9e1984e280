import { useLocation, useNavigation } from "@remix-run/react";
import { Menu as MenuIcon, PanelLeft, X } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { withoutBase } from "~/core/base-path";
import { IconButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { readConnection, subscribe } from "~/ui/connection";
import { keepInCookie } from "~/ui/tab-storage";
import { nameOf } from "./navigation";

export const SIDE_COOKIE = "sidebar";
export const HIDDEN_SIDE = "hidden";

/** The side navigation of wide windows, which a button and Ctrl/Cmd+B hide and show. */
function useSide(wasHidden: boolean) {
  const [isHidden, setHidden] = useState(wasHidden);
  const box = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const toggle = useRef<() => void>();
  toggle.current = () => {
    if (box.current?.contains(document.activeElement)) button.current?.focus();
    setHidden(!isHidden);
    keepInCookie(SIDE_COOKIE, isHidden ? "" : HIDDEN_SIDE);
  };
  useEffect(() => {
    const controller = new AbortController();
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, shiftKey, altKey, target, defaultPrevented } = event;
      if (key.toLowerCase() !== "b" || ctrlKey === metaKey || shiftKey || altKey || defaultPrevented) return;
      // There it makes text bold.
      if (target instanceof HTMLElement && target.isContentEditable) return;
      event.preventDefault();
      toggle.current?.();
    };
    window.addEventListener("keydown", onKey, { signal: controller.signal });
    return () => controller.abort();
  }, []);
  return { isHidden, box, button, onToggle: () => toggle.current?.() };
}

interface ShellProps {
  teamTitle: string;
  isSideHidden: boolean;
  mark: ReactNode;
  side: ReactNode;
  tools: ReactNode;
  children: ReactNode;
}

export function Shell({ teamTitle, isSideHidden, mark, side, tools, children }: ShellProps) {
  const sidebar = useSide(isSideHidden);
  const { pathname } = useLocation();
  return (
    <div
      className={cx(
        "min-h-dvh print:block md:grid",
        sidebar.isHidden ? "md:grid-cols-[minmax(0,1fr)]" : "md:grid-cols-[15rem_minmax(0,1fr)]",
      )}
    >
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-primary-solid px-3 py-2 font-medium text-on-solid focus:translate-y-0 print:hidden"
      >
        Skip to content
      </a>
      <div
        aria-hidden="true"
        className="pattern pointer-events-none fixed inset-x-0 top-0 -z-10 h-[44rem] print:hidden"
      />
      <aside
        ref={sidebar.box}
        id="sidebar"
        className={cx(
          "sticky top-0 hidden h-[calc(100dvh-var(--bar,0px))] border-line border-r bg-surface",
          !sidebar.isHidden && "md:block",
        )}
      >
        {side}
      </aside>
      <div className="flex min-w-0 flex-col">
        <header className="sticky short:relative top-0 z-30 flex h-(--header) items-center gap-1 border-line border-b sm:gap-3 px-4 md:px-6">
          {/* Separate from the header: a filter would contain fixed children. */}
          <div aria-hidden="true" className="glass absolute inset-0 -z-10" />
          <span className="hidden scripted:md:inline-flex">
            <IconButton
              ref={sidebar.button}
              type="button"
              label={`${sidebar.isHidden ? "Show" : "Hide"} the sidebar (Ctrl+B)`}
              icon={<PanelLeft />}
              aria-expanded={!sidebar.isHidden}
              aria-controls="sidebar"
              aria-keyshortcuts="Control+B Meta+B"
              className="-ml-2"
              onClick={sidebar.onToggle}
            />
          </span>
          <Drawer isAlways={sidebar.isHidden}>
            <div className="min-w-0 px-5 pt-4">
              <p className="truncate font-semibold text-ink">{teamTitle}</p>
              <p className="truncate text-muted text-xs">AI/AGI Controller</p>
            </div>
            <div className="min-h-0 flex-1">{side}</div>
          </Drawer>
          <div className="-ml-2 shrink-0 max-sm:hidden md:hidden">{mark}</div>
          <div className="min-w-0 flex-1">
            {/* In two lines rather than cut: the picker beside it takes half of a phone. */}
            <p className="line-clamp-2 font-semibold leading-4 sm:hidden">{nameOf(pathname) ?? teamTitle}</p>
            <p className="truncate font-semibold text-ink max-sm:hidden">{teamTitle}</p>
            <p className="truncate text-muted text-xs max-sm:hidden">AI/AGI Controller</p>
          </div>
          {tools}
          <Progress />
        </header>
        <main
          id="main"
          tabIndex={-1}
          className="relative mx-auto w-full max-w-7xl flex-1 px-4 py-6 outline-none has-[[data-bleed]]:max-w-none has-[[data-bleed]]:p-0 md:px-6 lg:py-8"
        >
          {children}
          <Skeleton />
        </main>
      </div>
    </div>
  );
}

/** `<details>`, so that it opens without JavaScript; closes on navigation. */
function Drawer({ isAlways, children }: { isAlways: boolean; children: ReactNode }) {
  const location = useLocation();
  return (
    <details key={location.key} className={cx("group -ml-2", isAlways ? "scripted:md:hidden" : "md:hidden")}>
      <summary
        aria-label="Navigation"
        className="grid size-11 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink group-open:before:fixed group-open:before:inset-0 group-open:before:h-dvh group-open:before:bg-scrim group-open:before:content-['']"
      >
        <MenuIcon aria-hidden="true" className="size-5 group-open:hidden" />
        <X aria-hidden="true" className="relative hidden size-5 group-open:block" />
      </summary>
      <div className="fixed top-0 left-0 z-10 flex h-dvh w-72 max-w-[85vw] flex-col border-line border-r bg-surface shadow-float">
        {children}
      </div>
    </details>
  );
}

/** Placeholder during navigation; the style sheet shows it after 150 ms. */
function Skeleton() {
  const { state, location } = useNavigation();
  const here = useLocation();
  const connection = useSyncExternalStore(subscribe, readConnection, () => "ok" as const);
  // Forms usually return here, and offline the page stays.
  if (state !== "loading" || connection !== "ok") return null;
  const target = withoutBase(location.pathname);
  if (target === here.pathname) return null;
  // A dialog covers the current page; a new conversation is already shown.
  const isBelow = target.startsWith(`${here.pathname}/`);
  if (isBelow && (/[?&]dialog=/.test(location.search) || location.pathname === window.location.pathname))
    return null;
  return (
    <div
      aria-hidden="true"
      data-skeleton=""
      className="late absolute inset-0 z-20 flex flex-col gap-4 bg-canvas px-4 py-6 md:px-6 lg:py-8"
    >
      <div className="h-7 w-48 rounded-md bg-active" />
      <div className="mb-2 h-4 w-80 max-w-full rounded-md bg-hover" />
      {["h-28", "h-40", "h-28"].map((height, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: three bars that never move.
        <div key={index} className={`${height} rounded-lg border border-line bg-surface`} />
      ))}
    </div>
  );
}

function Progress() {
  const { state } = useNavigation();
  if (state === "idle") return null;
  return (
    <div
      role="progressbar"
      aria-label="Loading"
      className="absolute inset-x-0 -bottom-px h-0.5 overflow-hidden"
    >
      <div className="h-full w-2/5 animate-[slide_900ms_ease-in-out_infinite] bg-primary-ink motion-reduce:w-full" />
    </div>
  );
}
