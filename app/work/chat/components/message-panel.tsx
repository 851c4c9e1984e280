import { type ReactNode, useRef } from "react";
import { ScrollRegion } from "~/ui/scroll-region";
import { JumpToLatest } from "./jump-to-latest";
import { useFollowEnd } from "./use-follow-end";

interface MessagePanelProps {
  /** Changes whenever the content grows. */
  content: unknown;
  /** Number of sent messages. */
  sent: number;
  /** Empty conversations start at the top. */
  empty: boolean;
  children: ReactNode;
}

/** The scrolling messages of an embedded chat. */
export function MessagePanel({ content, sent, empty, children }: MessagePanelProps) {
  const region = useRef<HTMLDivElement>(null);
  const end = useFollowEnd({ region, content, opened: undefined, sent, empty });
  return (
    <>
      <ScrollRegion
        scrollRef={region}
        role="log"
        label="Messages"
        className="max-h-96 min-h-64 space-y-6 overflow-y-auto p-4 print:max-h-none print:overflow-visible print:p-0"
      >
        {children}
      </ScrollRegion>
      <div className="relative">
        <JumpToLatest end={end} onJump={() => region.current?.focus({ preventScroll: true })} />
      </div>
    </>
  );
}
