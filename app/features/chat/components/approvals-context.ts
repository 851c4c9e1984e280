import { createContext, useContext } from "react";
import type { sendDecision } from "./send-decision";

/** A form that the server refused. */
export interface RefusedCall {
  toolCallId: string;
  input: string;
  error: string;
}

interface Approvals {
  /** Where the conversation's forms are sent. */
  action: string;
  /** Sends a decision without leaving the page, where there is script. @returns the problem of the arguments */
  decide?: (decision: FormData, send: typeof sendDecision) => Promise<string | undefined>;
  /** The form that the server refused, without script. */
  refused?: RefusedCall | undefined;
}

export const ApprovalsContext = createContext<Approvals | undefined>(undefined);

/** Makes the approval of tool calls known to a conversation that one may continue. */
export const ApprovalsProvider = ApprovalsContext.Provider;

/** The address of the conversation; undefined before it is stored, and where it is only shown. */
export function useConversationAddress(): string | undefined {
  const action = useContext(ApprovalsContext)?.action;
  return action?.startsWith("/chat/") ? action : undefined;
}
