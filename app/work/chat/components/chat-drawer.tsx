import { Link } from "@remix-run/react";
import { SlidersHorizontal, X } from "lucide-react";
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { IconLink, LinkButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { keepInCookie } from "~/ui/tab-storage";
import { DRAWER_COOKIE, OPEN_DRAWER } from "../chat-choices.shared";

const ID = "chat-settings";
/** From here the drawer is a column; below, a sheet. */
const WIDE = "(min-width: 90rem)";
export const isWide = () => window.matchMedia(WIDE).matches;

const remember = (isOpen: boolean) => keepInCookie(DRAWER_COOKIE, isOpen ? OPEN_DRAWER : "");

/** Closed, until it was left open in a wide window. Without JavaScript it is a link's target. */
export function useChatDrawer(isOpen: boolean) {
  const [closed, setClosed] = useState(!isOpen);
  const [sheet, setSheet] = useState(false);
  const opener = useRef<HTMLElement | null>(null);
  const close = () => {
    setSheet(false);
    if (window.location.hash === `#${ID}`) window.location.hash = "";
    if (isWide()) {
      setClosed(true);
      remember(false);
    }
    opener.current?.focus({ preventScroll: true });
  };
  const toggle = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault();
    opener.current = event.currentTarget;
    if (!isWide()) return setSheet(!sheet);
    setClosed(!closed);
    remember(closed);
  };
  return { closed, sheet, close, toggle };
}

export type ChatDrawerState = ReturnType<typeof useChatDrawer>;

export function DrawerButton({ drawer, children }: { drawer: ChatDrawerState; children: ReactNode }) {
  return (
    <LinkButton
      to={`#${ID}`}
      size="sm"
      variant="ghost"
      icon={<SlidersHorizontal aria-hidden="true" />}
      className="min-w-0 max-w-max shrink! grow basis-16 justify-start px-2!"
      aria-controls={ID}
      onClick={drawer.toggle}
    >
      <span className="truncate">
        <span className="sr-only">Chat settings: </span>
        {children}
      </span>
    </LinkButton>
  );
}

/**
 * Classes of the box around the conversation and its drawer, which has its column before its HTML arrives.
 * @param hasSource whether a source has the column in the drawer's place
 */
export const columnsFor = ({ closed }: ChatDrawerState, hasSource = false) =>
  cx(
    "flex min-h-[calc(100dvh-var(--header)-var(--bar,0px))] print:block",
    hasSource
      ? "xl:grid xl:grid-cols-[minmax(0,1fr)_36rem]"
      : !closed && "xl:grid xl:grid-cols-[minmax(0,1fr)_20rem]",
  );

interface ChatDrawerProps {
  drawer: ChatDrawerState;
  /** Address that closes it without JavaScript. */
  closeTo: string;
  children: ReactNode;
}

/** A column beside the conversation; a sheet on narrow windows. */
export function ChatDrawer({ drawer, closeTo, children }: ChatDrawerProps) {
  const box = useRef<HTMLElement>(null);
  const { sheet, closed, close } = drawer;
  useEffect(() => {
    if (sheet) box.current?.querySelector<HTMLElement>("button, a")?.focus({ preventScroll: true });
  }, [sheet]);
  // Scrollable regions must be focusable, even with all fields disabled (WCAG 2.1.1).
  const reachable = { tabIndex: 0 };
  return (
    <>
      <aside
        ref={box}
        id={ID}
        aria-label="Chat Settings"
        {...reachable}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || !sheet) return;
          event.stopPropagation();
          close();
        }}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (sheet && relatedTarget && !currentTarget.contains(relatedTarget)) close();
        }}
        className={cx(
          "peer fixed inset-y-0 right-0 z-50 w-80 max-w-[calc(100vw-3rem)] overflow-y-auto overscroll-contain border-line border-l bg-canvas p-4 shadow-float target:block print:hidden",
          "xl:sticky xl:top-(--header) xl:z-auto xl:h-[calc(100dvh-var(--header))] xl:shrink-0 xl:shadow-none",
          sheet ? "block" : "hidden",
          !closed && "xl:block",
        )}
      >
        <div className="mb-3 flex min-h-9 items-center justify-between gap-2 pointer-coarse:min-h-11">
          <h2 className="text-md">Chat Settings</h2>
          <IconLink
            to={closeTo}
            label="Close chat settings"
            icon={<X />}
            className="xl:hidden scripted:xl:inline-flex"
            onClick={(event) => {
              event.preventDefault();
              close();
            }}
          />
        </div>
        {children}
      </aside>
      <Link
        to={closeTo}
        tabIndex={-1}
        aria-hidden="true"
        onClick={(event) => {
          event.preventDefault();
          close();
        }}
        className={cx(
          "fixed inset-0 z-40 bg-scrim max-xl:peer-target:block xl:hidden",
          sheet ? "block" : "hidden",
        )}
      >
        {" "}
      </Link>
    </>
  );
}
