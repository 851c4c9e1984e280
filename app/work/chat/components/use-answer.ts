import { useCallback, useEffect, useMemo, useReducer, useRef } from "react";
import { UNREADABLE_ANSWER } from "~/ai/tools/stream-event.shared";
import { withBase } from "~/core/base-path";
import { problemDetail, UNREACHABLE } from "~/ui/failures";
import { showToast } from "~/ui/toast-store";
import type { Attachment } from "../attachments/attachments.schema";
import type { ChatMessage, Conversation } from "../chat.schema";
import { type AnswerEvent, EMPTY, isUnsent, message, reduce, stateOf } from "./answer-reducer";
import { newClientId } from "./new-client-id";
import type { sendDecision } from "./send-decision";
import { useEventReader } from "./use-event-reader";

/** Delays before resuming, in ms. */
const RESUME_WAITS = [300, 1000, 2000, 4000, 8000];

interface Options {
  conversation: Conversation | undefined;
  visit?: string;
  /** Called with the id of a new conversation's first message. */
  onBegin?: (messageId: string) => void;
  onCreated: (conversationId: string) => void;
  /** Called with a message that the server refused, or with its id if delivery is unknown. */
  onUnsent: (text: string, files: readonly Attachment[], sentAs?: string) => void;
  onEnded?: () => void;
}

interface Sent {
  /** Restored if it isn't sent. */
  text?: string;
  files?: readonly Attachment[];
  messageId?: string;
  keeps?: boolean;
  onAccepted?: () => void;
}

const showStopProblem = (description: string) =>
  showToast({ kind: "error", title: "Couldn't stop the answer", description });

/** Sends a decision by code that loads with the first one. */
async function loadAndSendDecision(
  ...decision: Parameters<typeof sendDecision>
): ReturnType<typeof sendDecision> {
  try {
    return await (await import("./send-decision")).sendDecision(...decision);
  } catch {
    showToast({ kind: "error", title: "Couldn't send the decision", description: UNREACHABLE });
    return { problem: undefined };
  }
}

/**
 * The chat's state in the browser: sends, streams, resumes after a lost connection or reload, stops. Leaving the page
 * ends only the reading.
 */
export function useAnswer({ conversation, visit, onBegin, onCreated, onUnsent, onEnded }: Options) {
  const [state, dispatch] = useReducer(reduce, conversation, stateOf);
  const current = useRef(state);
  current.current = state;
  const reading = useRef<AbortController>();
  const lastId = useRef(conversation?.lastEventId ?? 0);
  const stopWanted = useRef(false);
  /** The last message until its response: sent again unchanged, it keeps its ID and isn't stored twice. */
  const unconfirmed = useRef<{ key: string; id: string }>();

  const noteEvent = useCallback((event: AnswerEvent) => {
    if (event !== "done") lastId.current = event.id;
  }, []);
  const read = useEventReader(dispatch, noteEvent);

  const reload = useCallback(async (conversationId: string, signal: AbortSignal) => {
    const response = await fetch(withBase(`/api/ai/conversations/${conversationId}`), { signal });
    if (!response.ok) return dispatch({ type: "refused", detail: await problemDetail(response) });
    dispatch({ type: "reset", state: stateOf((await response.json()) as Conversation) });
  }, []);

  const follow = useCallback(
    async (conversationId: string, signal: AbortSignal) => {
      let tries = 0;
      while (tries <= RESUME_WAITS.length) {
        await new Promise((resolve) => setTimeout(resolve, tries === 0 ? 0 : RESUME_WAITS[tries - 1]));
        if (signal.aborted) return;
        tries += 1;
        const before = lastId.current;
        try {
          const response = await fetch(withBase(`/api/ai/chat/${conversationId}/stream`), {
            headers: { "Last-Event-ID": String(lastId.current) },
            signal,
          });
          // The console restarts.
          if (response.status === 503) continue;
          if (response.status === 204) return void (await reload(conversationId, signal));
          if (!response.ok) return dispatch({ type: "refused", detail: await problemDetail(response) });
          const end = await read(response, signal);
          if (end === "done") return onEnded?.();
          if (end === "unreadable") return dispatch({ type: "refused", detail: UNREADABLE_ANSWER });
        } catch {
          if (signal.aborted) return;
          // Still offline: retry.
        }
        if (lastId.current > before) tries = 0;
      }
      dispatch({
        type: "refused",
        detail: "The connection to the server was lost. Reload the page to see the rest.",
        isSent: true,
      });
    },
    [onEnded, read, reload],
  );

  const sendStop = useCallback(async (conversationId: string) => {
    try {
      const response = await fetch(withBase(`/api/ai/chat/${conversationId}/stop`), { method: "POST" });
      if (!response.ok) showStopProblem(await problemDetail(response));
    } catch {
      showStopProblem(UNREACHABLE);
    }
  }, []);

  /** Reads one answer at a time; when idle, the page resumes answers of other tabs. */
  const readAlone = useCallback(async (work: (signal: AbortSignal) => Promise<void>) => {
    reading.current?.abort();
    const controller = new AbortController();
    reading.current = controller;
    try {
      await work(controller.signal);
    } finally {
      if (reading.current === controller) reading.current = undefined;
    }
  }, []);

  const request = useCallback(
    async (
      signal: AbortSignal,
      url: string,
      body: unknown,
      messages: ChatMessage[],
      { text, files = [], messageId, keeps, onAccepted }: Sent,
    ) => {
      const before = current.current;
      stopWanted.current = false;
      dispatch({ type: "sent", messages, answer: message("assistant", "") });
      let createdId = current.current.conversationId;
      const refuse = (detail: string, sentAs?: string) => {
        if (keeps) {
          dispatch({ type: "reset", state: before });
          showToast({ kind: "error", title: "Couldn't generate the answer", description: detail });
        } else dispatch({ type: "refused", detail });
        if (text !== undefined) onUnsent(text, files, sentAs);
      };
      const response = await fetch(withBase(url), {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
        body: JSON.stringify(body),
        signal,
      }).catch(() => undefined);
      // Delivery is unknown: the text is restored, and the page's reload decides.
      if (!response) return signal.aborted ? undefined : refuse(UNREACHABLE, messageId);
      if (!response.ok) return refuse(await sendProblem(response));
      unconfirmed.current = undefined;
      onAccepted?.();
      const id = response.headers.get("X-Conversation-Id");
      if (id && id !== createdId) {
        createdId = id;
        dispatch({ type: "created", conversationId: id });
        onCreated(id);
      }
      if (id && stopWanted.current) void sendStop(id);
      try {
        const end = await read(response, signal);
        if (end === "done") return onEnded?.();
        if (end === "unreadable") return dispatch({ type: "refused", detail: UNREADABLE_ANSWER });
      } catch (error) {
        if (signal.aborted) return;
        reportError(error);
      }
      if (signal.aborted) return;
      if (!createdId) return refuse(UNREACHABLE, messageId);
      await follow(createdId, signal);
    },
    [follow, onEnded, onCreated, onUnsent, read, sendStop],
  );

  const send = useCallback(
    (text: string, options: Record<string, unknown>, files: readonly Attachment[] = []) => {
      const { messages, conversationId } = current.current;
      const attached = files.map(({ id }) => id);
      const key = JSON.stringify([text, attached]);
      const messageId = unconfirmed.current?.key === key ? unconfirmed.current.id : newClientId();
      unconfirmed.current = { key, id: messageId };
      if (!conversationId) onBegin?.(messageId);
      const body = {
        ...options,
        messageId,
        ...(attached.length > 0 ? { attachments: attached } : {}),
        messages: [{ role: "user", content: text }],
        ...(conversationId ? { conversationId } : {}),
      };
      const own = { ...message("user", text), id: `local-${messageId}` };
      const parts = files.map((file) => ({ type: "attachment" as const, ...file }));
      const sent = { ...own, parts: [...parts, ...own.parts] };
      const at = messages.findIndex(({ id }) => id === own.id);
      const visible = [...(at < 0 ? messages : messages.slice(0, at)), sent];
      return readAlone((signal) =>
        request(signal, "/api/ai/chat", body, visible, { text, files, messageId }),
      );
    },
    [onBegin, readAlone, request],
  );

  const answerAgain = useCallback(
    (how: "regenerate" | "continue", messageId: string, options: Record<string, unknown> = {}) => {
      const { messages, conversationId } = current.current;
      const at = messages.findIndex(({ id }) => id === messageId);
      const url = `/api/ai/chat/${conversationId}/${how}`;
      const visible = messages.slice(0, Math.max(at, 0));
      return readAlone((signal) => request(signal, url, { ...options, messageId }, visible, { keeps: true }));
    },
    [readAlone, request],
  );
  const regenerate = useCallback(
    (messageId: string, options: Record<string, unknown>) => answerAgain("regenerate", messageId, options),
    [answerAgain],
  );
  const goOn = useCallback((messageId: string) => answerAgain("continue", messageId), [answerAgain]);

  const decide = useCallback(
    async (form: FormData): Promise<string | undefined> => {
      const id = current.current.conversationId;
      if (!id) return undefined;
      const sent = await loadAndSendDecision(id, form);
      if ("problem" in sent) return sent.problem;
      dispatch({ type: "decided", message: sent.message });
      if (sent.message.status !== "streaming") {
        // The page may be loading the state before the decision.
        onEnded?.();
        return undefined;
      }
      lastId.current = sent.lastEventId;
      void readAlone((signal) => follow(id, signal));
      return undefined;
    },
    [follow, onEnded, readAlone],
  );

  const edit = useCallback(
    (messageId: string, content: string, options: Record<string, unknown>, onAccepted: () => void) => {
      const { messages, conversationId } = current.current;
      const at = messages.findIndex(({ id }) => id === messageId);
      const visible = [...messages.slice(0, Math.max(at, 0)), message("user", content)];
      const body = { ...options, messageId, content };
      const url = `/api/ai/chat/${conversationId}/edit`;
      return readAlone((signal) => request(signal, url, body, visible, { keeps: true, onAccepted }));
    },
    [readAlone, request],
  );

  const addEarlier = useCallback((messages: ChatMessage[], hasEarlier: boolean) => {
    dispatch({ type: "earlier", messages, hasEarlier });
  }, []);

  const stop = useCallback(async () => {
    const id = current.current.conversationId;
    // A new conversation is stopped once it has its id.
    if (id) await sendStop(id);
    else stopWanted.current = true;
  }, [sendStop]);

  const reset = useCallback(() => {
    reading.current?.abort();
    reading.current = undefined;
    unconfirmed.current = undefined;
    lastId.current = 0;
    dispatch({ type: "reset", state: EMPTY });
  }, []);

  const opening = conversation ? undefined : visit;
  // biome-ignore lint/correctness/useExhaustiveDependencies: New Chat opens a new conversation from one that isn't loaded yet.
  useEffect(() => {
    if (conversation && conversation.id === current.current.conversationId) {
      // A resumed reading ends when its answer was loaded complete.
      const isReading = reading.current?.signal.aborted === false;
      if (isReading || isUnsent(current.current)) return;
      lastId.current = conversation.lastEventId;
      return dispatch({ type: "loaded", conversation });
    }
    reading.current?.abort();
    reading.current = undefined;
    unconfirmed.current = undefined;
    lastId.current = conversation?.lastEventId ?? 0;
    dispatch({ type: "reset", state: stateOf(conversation) });
  }, [conversation, opening]);

  const last = conversation?.messages.at(-1);
  const resumeId = last?.status === "streaming" ? conversation?.id : undefined;
  // Another answer may run by the time the page has loaded.
  const answerId = resumeId && last?.id;
  useEffect(() => {
    if (!resumeId || !answerId || reading.current?.signal.aborted === false) return;
    void readAlone((signal) => follow(resumeId, signal));
    const resumed = reading.current;
    return () => resumed?.abort();
  }, [resumeId, answerId, follow, readAlone]);

  useEffect(() => () => reading.current?.abort(), []);

  const messages = useMemo(
    () => (state.live ? [...state.messages, state.live.message] : state.messages),
    [state.messages, state.live],
  );
  return {
    conversationId: state.conversationId,
    messages,
    hasEarlier: state.hasEarlier,
    loading: state.live !== undefined,
    send,
    regenerate,
    goOn,
    edit,
    addEarlier,
    stop,
    decide,
    reset,
  };
}

/** Why a message was refused, and what to do. */
export async function sendProblem(response: Response): Promise<string> {
  if (response.status === 413) return "This message is too long. Shorten it, or attach the text as a file.";
  return problemDetail(response);
}
