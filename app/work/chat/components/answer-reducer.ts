import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import { type AnswerState, closeOpenTools, emptyAnswer, plainMessage, textOf } from "../answer-state.shared";
import type { ChatMessage, Conversation } from "../chat.schema";
import { newClientId } from "./new-client-id";

export type AnswerEvent = { id: number; chunk: StreamChunk } | "done";

export interface State {
  conversationId: string | undefined;
  messages: ChatMessage[];
  live: { message: ChatMessage; answer: AnswerState } | undefined;
  hasEarlier: boolean;
}

/** Adds received events to the running answer; loaded together with the stream reader. */
type FoldEvents = (state: State, events: readonly AnswerEvent[]) => State;

export type Change =
  | { type: "reset"; state: State }
  | { type: "sent"; messages: ChatMessage[]; answer: ChatMessage }
  | { type: "created"; conversationId: string }
  | { type: "loaded"; conversation: Conversation }
  | { type: "earlier"; messages: ChatMessage[]; hasEarlier: boolean }
  | { type: "events"; events: AnswerEvent[]; fold: FoldEvents }
  | { type: "decided"; message: ChatMessage }
  /** By the reader, whose connection alone kept it running. */
  | { type: "stopped" }
  /** @param isSent whether the message was sent, so that the server's state replaces this one once it is loaded */
  | { type: "refused"; detail: string; isSent?: boolean };

export const EMPTY: State = { conversationId: undefined, messages: [], live: undefined, hasEarlier: false };

const LOCAL = /^local-/;

export function message(role: ChatMessage["role"], text: string): ChatMessage {
  const id = `local-${newClientId()}`;
  const base = plainMessage({ id, role, content: text }, new Date().toISOString());
  return { ...base, status: role === "user" ? "complete" : "streaming" };
}

export function reduce(state: State, change: Change): State {
  switch (change.type) {
    case "reset":
      return change.state;
    case "sent":
      return { ...state, messages: change.messages, live: { message: change.answer, answer: emptyAnswer() } };
    case "created":
      return { ...state, conversationId: change.conversationId };
    case "loaded":
      return withLoaded(state, change.conversation);
    case "earlier":
      return {
        ...state,
        messages: [...change.messages, ...state.messages],
        hasEarlier: change.hasEarlier,
      };
    case "events":
      return change.fold(state, change.events);
    case "decided":
      return withDecided(state, change.message);
    case "stopped": {
      if (!state.live) return state;
      const parts = closeOpenTools(state.live.answer.parts, "The answer was stopped.");
      const stopped: ChatMessage = { ...state.live.message, parts, status: "stopped" };
      return { ...state, messages: [...state.messages, stopped], live: undefined };
    }
    case "refused": {
      const base = state.live?.message ?? message("assistant", "");
      const parts = state.live?.answer.parts.length ? state.live.answer.parts : [];
      const failed: ChatMessage = {
        ...base,
        id: change.isSent ? base.id.replace(LOCAL, "sent-") : base.id,
        status: "failed",
        parts,
        content: textOf(parts),
        error: change.detail,
      };
      return { ...state, messages: [...state.messages, failed], live: undefined };
    }
  }
}

const answerOf = ({ parts }: ChatMessage): AnswerState => ({ ...emptyAnswer(), parts });

function withDecided(state: State, decided: ChatMessage): State {
  if (decided.status !== "streaming") {
    const messages = state.messages.map((message) => (message.id === decided.id ? decided : message));
    return { ...state, messages };
  }
  const messages = state.messages.filter(({ id }) => id !== decided.id);
  return { ...state, messages, live: { message: decided, answer: answerOf(decided) } };
}

export function stateOf(conversation: Conversation | undefined): State {
  const messages = conversation?.messages ?? [];
  const base = { conversationId: conversation?.id, hasEarlier: conversation?.hasEarlier ?? false };
  const last = messages.at(-1);
  if (last?.status !== "streaming") return { ...base, messages, live: undefined };
  return { ...base, messages: messages.slice(0, -1), live: { message: last, answer: answerOf(last) } };
}

/** Merges the server's state, keeping older messages that were loaded: all branches share them. */
function withLoaded(state: State, conversation: Conversation): State {
  const loaded = stateOf(conversation);
  const first = conversation.messages[0]?.id;
  const at = state.messages.findIndex(({ id }) => id === first);
  if (at <= 0) return loaded;
  return {
    ...loaded,
    messages: [...state.messages.slice(0, at), ...loaded.messages],
    hasEarlier: state.hasEarlier,
  };
}

export const isUnsent = ({ messages }: State) => LOCAL.test(messages.at(-1)?.id ?? "");
