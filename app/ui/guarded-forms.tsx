import type { Blocker } from "@remix-run/react";
import { type ReactNode, useCallback, useEffect, useMemo, useRef } from "react";
import { Button } from "./button";
import { cx } from "./class-names";
import { useLeaveGuard } from "./leave-guard";
import { fieldsIn, isTyped } from "./typed-fields";

export function GuardedForms({ className, children }: { className?: string; children: ReactNode }) {
  const section = useRef<HTMLDivElement>(null);
  const isUnsaved = useCallback(
    () =>
      section.current !== null &&
      fieldsIn(section.current).some((field) => !field.closest("dialog") && isTyped(field)),
    [],
  );
  const blocker = useLeaveGuard(useMemo(() => ({ isUnsaved }), [isUnsaved]));
  return (
    <div ref={section} className={className}>
      {children}
      {blocker.state === "blocked" && (
        <DiscardQuestion question="Discard your changes?" blocker={blocker} className="fixed" />
      )}
    </div>
  );
}

interface DiscardQuestionProps {
  question: string;
  blocker: Pick<Extract<Blocker, { state: "blocked" }>, "proceed" | "reset">;
  className: string;
  /** Label of the button that stays, then of the one that leaves. */
  labels?: readonly [stay: string, leave: string];
}

export function DiscardQuestion({
  question,
  blocker,
  className,
  labels: [stay, leave] = ["Keep Editing", "Discard"],
}: DiscardQuestionProps) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    keep.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <div
      role="alertdialog"
      aria-label={question}
      className={cx(
        "inset-x-0 bottom-0 z-10 flex flex-wrap items-center justify-end gap-2 border-line border-t bg-raised px-5 py-3",
        className,
      )}
    >
      <p className="min-w-0 flex-1 font-medium">{question}</p>
      <Button ref={keep} type="button" onClick={() => blocker.reset()}>
        {stay}
      </Button>
      <Button type="button" variant="danger" onClick={() => blocker.proceed()}>
        {leave}
      </Button>
    </div>
  );
}
