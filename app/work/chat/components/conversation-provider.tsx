import type { SubmissionResult } from "@conform-to/react";
import { useSubmit } from "@remix-run/react";
import { createContext, type FormEvent, type FormEventHandler, useContext, useMemo } from "react";

export interface Sharing {
  action: string;
  allowed: boolean;
  /** With JavaScript: sends the form without a navigation. */
  onSubmit?: FormEventHandler<HTMLFormElement>;
}

export const SharingContext = createContext<Sharing | undefined>(undefined);

export const SharingProvider = SharingContext.Provider;

export interface RefusedCall {
  toolCallId: string;
  input: string;
  error: string;
}

/** A question's form that the server refused. */
export interface RefusedAnswer {
  questionId: string;
  result: SubmissionResult<string[]>;
}

interface Approvals {
  action: string;
  /** Whether the answer still runs: its last calls are taken before it waits for decisions. */
  isAnswering?: boolean;
  /** With JavaScript: sends a decision without a navigation. @returns the error of the arguments */
  decide?: (decision: FormData) => Promise<string | undefined>;
  /** With JavaScript: once a question was answered, whose form is gone. */
  onAnswered?: () => void;
  /** Without JavaScript: the form that the server refused. */
  refused?: RefusedCall | undefined;
  refusedAnswer?: RefusedAnswer | undefined;
}

export const ApprovalsContext = createContext<Approvals | undefined>(undefined);

export const ApprovalsProvider = ApprovalsContext.Provider;

/** The conversation's path; undefined before it is stored, and in read-only views. */
export function useConversationAddress(): string | undefined {
  const action = useContext(ApprovalsContext)?.action;
  return action?.startsWith("/chat/") ? action : undefined;
}

export function useSharing(conversationId: string | undefined, allowed: boolean): Sharing | undefined {
  const submit = useSubmit();
  return useMemo(() => {
    const onSubmit = (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault();
      submit(event.currentTarget, { preventScrollReset: true });
    };
    return conversationId ? { action: `/chat/${conversationId}`, allowed, onSubmit } : undefined;
  }, [conversationId, allowed, submit]);
}
