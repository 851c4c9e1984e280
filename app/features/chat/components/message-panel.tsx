import { ArrowDown } from "lucide-react";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { IconButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { ScrollRegion } from "~/ui/scroll-region";

/** From the end up to here one is at it, in pixels. */
const NEAR = 48;

// The server has no layout, and React warns about effects for one.
const useBrowserLayout = typeof document === "undefined" ? useEffect : useLayoutEffect;

interface MessagePanelProps {
  /** Changes whenever what is shown grows. */
  content: unknown;
  /** Changes when the end is to be shown: another conversation, or a message that was sent. */
  showEnd: string;
  children: ReactNode;
}

/**
 * The messages, in a region that scrolls. It opens at its end at first paint, keeps the end in view while an answer grows
 * unless the reader has scrolled away, and offers the way back then.
 */
export function MessagePanel({ content, showEnd, children }: MessagePanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  const lastTop = useRef(0);
  const distance = useRef(0);
  const shownEnd = useRef(showEnd);
  const [away, setAway] = useState(false);
  const [unseen, setUnseen] = useState(false);
  // Reversed it begins at its end without script. Under script it is the usual way up, so that what is opened within
  // it unfolds downwards.
  const [reversed, setReversed] = useState(true);

  useBrowserLayout(() => {
    distance.current = Math.abs(panel.current?.scrollTop ?? 0);
    stuck.current = distance.current < NEAR;
    setReversed(false);
  }, []);

  useBrowserLayout(() => {
    const element = panel.current;
    if (!element || reversed) return;
    element.scrollTop = element.scrollHeight - element.clientHeight - distance.current;
    lastTop.current = element.scrollTop;
    setAway(!stuck.current);
  }, [reversed]);

  useBrowserLayout(() => {
    if (reversed) return;
    if (shownEnd.current !== showEnd) stuck.current = true;
    shownEnd.current = showEnd;
    if (stuck.current) toEnd();
    else setUnseen(true);
  }, [content, showEnd]);

  function toEnd() {
    const element = panel.current;
    if (!element) return;
    stuck.current = true;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
    setAway(false);
    setUnseen(false);
  }

  const onScroll = () => {
    const element = panel.current;
    if (!element || reversed) return;
    const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    // Only a person scrolls up; away from the end it also gets by growing.
    if (near || element.scrollTop < lastTop.current) {
      stuck.current = near;
      setAway(!near);
      if (near) setUnseen(false);
    }
    lastTop.current = element.scrollTop;
  };

  return (
    <div className="relative flex min-h-0 flex-col">
      <ScrollRegion
        scrollRef={panel}
        onScroll={onScroll}
        role="log"
        label="Messages"
        className={cx(
          "flex max-h-[max(24rem,calc(100dvh-22rem))] min-h-[min(16rem,calc(100dvh-14rem))] overflow-y-auto p-4",
          // Zoomed in or on its side a screen has little height: the composer goes first.
          "[@media(max-height:40rem)]:max-h-[max(12rem,calc(100dvh-14rem))] print:block print:max-h-none print:overflow-visible print:p-0",
          reversed ? "flex-col-reverse" : "flex-col",
        )}
      >
        <div className={cx("min-w-0 space-y-6", reversed && "mb-auto")}>{children}</div>
      </ScrollRegion>
      {away && (
        <span className="absolute bottom-3 left-1/2 -translate-x-1/2 print:hidden">
          <IconButton
            type="button"
            label={unseen ? "Jump to latest (new content)" : "Jump to latest"}
            icon={<ArrowDown />}
            variant="secondary"
            className="rounded-full! shadow-float"
            onClick={() => {
              toEnd();
              panel.current?.focus({ preventScroll: true });
            }}
          />
          {unseen && (
            <span
              aria-hidden="true"
              className="absolute top-0 right-0 size-2.5 rounded-full border-2 border-surface bg-primary-ink"
            />
          )}
        </span>
      )}
    </div>
  );
}
