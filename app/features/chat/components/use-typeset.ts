import { useRevalidator } from "@remix-run/react";
import { useEffect } from "react";
import type { ChatMessage } from "../chat.schema";
import { mayHoldFormula } from "../markdown/formula.schema";

/** Formulas are typeset on the server: an answer that was read as it came is read from there once it has ended. */
export function useTypeset(
  messages: readonly ChatMessage[],
  renderings: Readonly<Record<string, string>>,
): void {
  const { revalidate } = useRevalidator();
  const last = messages.at(-1);
  const ended = last?.role === "assistant" && last.status !== "streaming" && !last.id.startsWith("local-");
  const unread = last && ended && !renderings[last.id] && mayHoldFormula(last.content) ? last.id : undefined;
  useEffect(() => {
    if (unread !== undefined) revalidate();
  }, [unread, revalidate]);
}
