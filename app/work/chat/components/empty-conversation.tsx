import { MessageSquare } from "lucide-react";
import type { ReactNode } from "react";

/** Shown before the first message, with starters. */
export function EmptyConversation({ disabled, children }: { disabled: boolean; children: ReactNode }) {
  return (
    <div className="flex flex-col items-center py-4 text-center sm:py-10">
      <MessageSquare aria-hidden="true" className="mb-3 size-6 text-muted" />
      <h2 className="text-md">{disabled ? "No conversation" : "Start a conversation"}</h2>
      {!disabled && (
        <p className="mt-1 mb-5 max-w-md text-pretty text-muted">
          Ask anything. The model can use the selected tools.
        </p>
      )}
      {!disabled && children}
    </div>
  );
}
