import { useSubmit } from "@remix-run/react";
import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type FormEventHandler,
  type ReactNode,
  useContext,
  useMemo,
} from "react";
import type { sendDecision } from "./send-decision";

export interface Sharing {
  /** Action of the conversation's forms. */
  action: string;
  allowed: boolean;
  /** With JavaScript: sends the form without a navigation. */
  onSubmit?: FormEventHandler<HTMLFormElement>;
}

export const SharingContext = createContext<Sharing | undefined>(undefined);

/** Provides the sharing permission to the tool calls of a conversation that the user may continue. */
export const SharingProvider = SharingContext.Provider;

/** A form that the server refused. */
export interface RefusedCall {
  toolCallId: string;
  input: string;
  error: string;
}

interface Approvals {
  /** Action of the conversation's forms. */
  action: string;
  /** Whether the answer still runs: its last calls are taken before it waits for decisions. */
  isAnswering?: boolean;
  /** With JavaScript: sends a decision without a navigation. @returns the error of the arguments */
  decide?: (decision: FormData, send: typeof sendDecision) => Promise<string | undefined>;
  /** Without JavaScript: the form that the server refused. */
  refused?: RefusedCall | undefined;
}

export const ApprovalsContext = createContext<Approvals | undefined>(undefined);

/** Provides approval forms to the tool calls of a conversation that the user may continue. */
export const ApprovalsProvider = ApprovalsContext.Provider;

/** The conversation's path; undefined before it is stored, and in read-only views. */
export function useConversationAddress(): string | undefined {
  const action = useContext(ApprovalsContext)?.action;
  return action?.startsWith("/chat/") ? action : undefined;
}

interface ConversationProviderProps {
  sharing: ComponentProps<typeof SharingProvider>["value"];
  approvals: ComponentProps<typeof ApprovalsProvider>["value"];
  children: ReactNode;
}

export function ConversationProvider({ sharing, approvals, children }: ConversationProviderProps) {
  return (
    <SharingProvider value={sharing}>
      <ApprovalsProvider value={approvals}>{children}</ApprovalsProvider>
    </SharingProvider>
  );
}

export function useSharing(conversationId: string | undefined, allowed: boolean) {
  const submit = useSubmit();
  return useMemo(
    () =>
      conversationId
        ? {
            action: `/chat/${conversationId}`,
            allowed,
            onSubmit: (event: FormEvent<HTMLFormElement>) => {
              event.preventDefault();
              submit(event.currentTarget, { preventScrollReset: true });
            },
          }
        : undefined,
    [conversationId, allowed, submit],
  );
}
