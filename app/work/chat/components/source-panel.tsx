import { ExternalLink, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { addressFor, locationOf } from "~/ai/models/quoted-passages.shared";
import { withBase } from "~/core/base-path";
import { toDisplayText } from "~/core/well-formed";
import { IconButton } from "~/ui/button";
import { CitedPassage } from "~/work/documents/cited-passage.shared";
import type { AnswerSource } from "../sources.shared";
import { isWide } from "./chat-drawer";

interface SourcePanelProps {
  source: AnswerSource;
  onClose: () => void;
}

/** A cited document at the passage: a column beside the conversation, on narrow windows a drawer over it. */
export function SourcePanel({ source, onClose }: SourcePanelProps) {
  const { number, passage } = source;
  const box = useRef<HTMLElement>(null);
  const address = addressFor(passage);
  const location = locationOf(passage);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each source that is opened is read from its beginning
  useEffect(() => box.current?.focus({ preventScroll: true }), [address]);
  return (
    <>
      <aside
        ref={box}
        data-source-panel=""
        aria-label={toDisplayText(`Source ${number}: ${passage.title}`)}
        tabIndex={-1}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onClose();
        }}
        onBlur={({ currentTarget, relatedTarget }) => {
          // Over the conversation it would hide what has the focus.
          if (relatedTarget && !currentTarget.contains(relatedTarget) && !isWide()) onClose();
        }}
        className="fixed inset-y-0 right-0 z-50 flex w-[36rem] max-w-full flex-col border-line border-l bg-canvas shadow-float outline-none xl:sticky xl:top-(--header) xl:z-auto xl:h-[calc(100dvh-var(--header))] xl:w-auto xl:shadow-none print:hidden"
      >
        <header className="flex items-start gap-2 border-line border-b px-4 py-2.5">
          <span className="mt-2 min-w-5 shrink-0 rounded-xs bg-primary-soft text-center font-medium text-primary-ink text-xs tabular-nums">
            {number}
          </span>
          <div className="wrap-anywhere min-w-0 flex-1 py-1.5">
            <h2 className="text-md">
              <bdi>{toDisplayText(passage.title)}</bdi>
            </h2>
            {location && <p className="text-muted text-xs">{toDisplayText(location)}</p>}
          </div>
          <a
            href={withBase(address)}
            className="mt-1.5 inline-flex min-h-6 shrink-0 items-center gap-1 text-primary-ink text-sm underline underline-offset-4 pointer-coarse:min-h-11 [&_svg]:size-3.5"
          >
            Open
            <span className="sr-only"> the document</span>
            <ExternalLink aria-hidden="true" />
          </a>
          <IconButton label="Close the source" icon={<X />} onClick={onClose} />
        </header>
        <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-4">
          <CitedPassage address={address} />
        </div>
      </aside>
      <button
        type="button"
        tabIndex={-1}
        aria-hidden="true"
        onClick={onClose}
        className="fixed inset-0 z-40 bg-scrim xl:hidden"
      />
    </>
  );
}
