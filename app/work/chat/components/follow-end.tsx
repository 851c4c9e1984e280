import { useNavigationType } from "@remix-run/react";
import { ArrowDown } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { IconButton } from "~/ui/button";
import { useBrowserLayout } from "~/ui/hydration";

const NEAR = 48;

interface Followed {
  region?: RefObject<HTMLElement>;
  content: unknown;
  opened: string | undefined;
  sent: number;
  /** Empty conversations start at the top, older pages at their message. */
  empty: boolean;
}

/** Keeps the end in view while an answer grows, unless the user has scrolled up. */
export function useFollowEnd({ region, content, opened, sent, empty }: Followed) {
  const stuck = useRef(true);
  const lastTop = useRef(0);
  const previous = useRef<{ opened: string | undefined; sent: number; empty: boolean }>();
  const [shown, setShown] = useState({ away: false, unseen: false });
  const latest = useRef(shown);
  const byHistory = useNavigationType() === "POP";
  const scroller = () => (region ? region.current : document.scrollingElement);

  /**
   * Sets no state that is set already: while React holds back an update of the messages, each render makes new ones, and
   * the layout effect would render forever (error 185).
   */
  function show(next: Partial<typeof shown>) {
    const { away, unseen } = { ...latest.current, ...next };
    if (away === latest.current.away && unseen === latest.current.unseen) return;
    latest.current = { away, unseen };
    setShown(latest.current);
  }

  function measure() {
    const element = scroller();
    if (!element) return;
    const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    stuck.current = near;
    lastTop.current = element.scrollTop;
    show(near ? { away: false, unseen: false } : { away: true });
  }

  function toEnd() {
    const element = scroller();
    if (!element) return;
    stuck.current = true;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
    show({ away: false, unseen: false });
  }

  useBrowserLayout(() => {
    const before = previous.current;
    previous.current = { opened, sent, empty };
    if (empty) {
      region?.current?.scrollTo({ top: 0 });
      show({ away: false });
    } else if (before && !before.empty && before.opened === opened && before.sent === sent) {
      // The event of a scroll comes a frame later: what arrives before it must not undo it.
      if ((scroller()?.scrollTop ?? 0) < lastTop.current) measure();
      if (stuck.current) toEnd();
      else show({ unseen: true });
    } else if (!region && (byHistory || window.location.hash) && before?.opened !== opened) {
      // Back keeps the position, and a link may lead to a message.
      queueMicrotask(measure);
    } else {
      stuck.current = true;
      // After the router's own scrolling, and before the next frame.
      queueMicrotask(toEnd);
    }
  }, [content, opened, sent, empty]);

  const onScroll = useRef<() => void>();
  onScroll.current = () => {
    const element = scroller();
    if (!element || empty) return;
    const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    // Only users scroll up; a growing answer moves away from the end too.
    if (near || element.scrollTop < lastTop.current) measure();
    else lastTop.current = element.scrollTop;
  };
  useEffect(() => {
    const target = region ? region.current : window;
    const listener = () => onScroll.current?.();
    target?.addEventListener("scroll", listener, { passive: true });
    return () => target?.removeEventListener("scroll", listener);
  }, [region]);

  return { ...shown, toEnd };
}

interface JumpToLatestProps {
  end: ReturnType<typeof useFollowEnd>;
  onJump: () => void;
}

export function JumpToLatest({ end: { away, unseen, toEnd }, onJump }: JumpToLatestProps) {
  if (!away) return null;
  return (
    <span className="absolute bottom-full left-1/2 mb-3 -translate-x-1/2 print:hidden">
      <IconButton
        type="button"
        label={unseen ? "Jump to latest (new content)" : "Jump to latest"}
        icon={<ArrowDown />}
        variant="secondary"
        className="rounded-full! shadow-float"
        onClick={() => {
          toEnd();
          onJump();
        }}
      />
      {unseen && (
        <span
          aria-hidden="true"
          className="absolute top-0 right-0 size-2.5 rounded-full border-2 border-surface bg-primary-ink"
        />
      )}
    </span>
  );
}
