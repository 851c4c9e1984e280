import type { ReactNode, Ref } from "react";
import { Notice } from "~/ui/notice";

interface ChatColumnProps {
  log: Ref<HTMLDivElement>;
  messages: ReactNode;
  /** Why the person can't write here. */
  refusal: string | undefined;
  children: ReactNode;
}

/** A chat's messages, and below them what it is gone on with. */
export function ChatColumn({ log, messages, refusal, children }: ChatColumnProps) {
  return (
    <section
      aria-label="Conversation"
      className="mx-auto flex w-full max-w-3xl flex-1 flex-col px-4 print:max-w-none print:px-0"
    >
      {refusal && (
        <Notice kind="info" className="mt-4">
          {refusal}
        </Notice>
      )}
      <div
        ref={log}
        role="log"
        aria-label="Messages"
        tabIndex={-1}
        className="min-h-96 flex-1 space-y-6 py-6 outline-none print:p-0"
      >
        {messages}
      </div>
      {children}
    </section>
  );
}
