import { useCallback, useEffect, useReducer, useRef } from "react";
import { showToast } from "~/ui/toast-store";
import { type AnswerState, emptyAnswer, foldChunk, textOf, withAnswer } from "../answer-state.schema";
import type { ChatMessage, Conversation } from "../chat.schema";
import { type AnswerEvent, problemDetail, readEvents } from "./read-events";
import { sendDecision } from "./send-decision";

/** The words of section 8 for an answer that couldn't be had. */
const APOLOGY = "Sorry, I encountered an error. Please try again.";
/** Waits before the next try to resume, in milliseconds. */
const RESUME_WAITS = [300, 1000, 2000, 4000, 8000];

interface State {
  conversationId: string | undefined;
  messages: ChatMessage[];
  /** The running answer, shown after the messages. */
  live: { message: ChatMessage; answer: AnswerState } | undefined;
}

type Change =
  | { type: "reset"; state: State }
  | { type: "sent"; messages: ChatMessage[]; answer: ChatMessage }
  | { type: "named"; conversationId: string }
  | { type: "events"; events: AnswerEvent[] }
  | { type: "decided"; message: ChatMessage }
  | { type: "refused"; detail: string };

const EMPTY: State = { conversationId: undefined, messages: [], live: undefined };

function message(role: ChatMessage["role"], text: string): ChatMessage {
  return {
    id: `local-${crypto.randomUUID()}`,
    role,
    status: role === "user" ? "complete" : "streaming",
    content: text,
    parts: text ? [{ type: "text", id: "0", text }] : [],
    model: null,
    persona: null,
    error: null,
    metrics: null,
    timestamp: new Date().toISOString(),
  };
}

function applyEvents(state: State, events: AnswerEvent[]): State {
  if (!state.live) return state;
  let { message: shown, answer } = state.live;
  let over = false;
  for (const event of events) {
    if (event === "done") over = true;
    else {
      if (event.chunk.type === "start") {
        shown = { ...shown, id: event.chunk.messageId, model: event.chunk.messageMetadata.model };
      }
      answer = foldChunk(answer, event.chunk);
    }
  }
  const live = { message: withAnswer(shown, answer), answer };
  return over
    ? { ...state, messages: [...state.messages, live.message], live: undefined }
    : { ...state, live };
}

function reduce(state: State, change: Change): State {
  switch (change.type) {
    case "reset":
      return change.state;
    case "sent":
      return { ...state, messages: change.messages, live: { message: change.answer, answer: emptyAnswer() } };
    case "named":
      return { ...state, conversationId: change.conversationId };
    case "events":
      return applyEvents(state, change.events);
    case "decided": {
      const { message: decided } = change;
      if (decided.status !== "streaming") {
        return {
          ...state,
          messages: state.messages.map((shown) => (shown.id === decided.id ? decided : shown)),
        };
      }
      const messages = state.messages.filter(({ id }) => id !== decided.id);
      return { ...state, messages, live: { message: decided, answer: answerOf(decided) } };
    }
    case "refused": {
      const base = state.live?.message ?? message("assistant", "");
      const kept = state.live?.answer.parts.length ? state.live.answer.parts : message("user", APOLOGY).parts;
      const failed: ChatMessage = {
        ...base,
        status: "failed",
        parts: kept,
        content: textOf(kept),
        error: change.detail,
      };
      return { ...state, messages: [...state.messages, failed], live: undefined };
    }
  }
}

const answerOf = ({ parts }: ChatMessage): AnswerState => ({ ...emptyAnswer(), parts });

function stateOf(conversation: Conversation | undefined): State {
  const messages = conversation?.messages ?? [];
  const last = messages.at(-1);
  if (last?.status !== "streaming") return { conversationId: conversation?.id, messages, live: undefined };
  return {
    conversationId: conversation?.id,
    messages: messages.slice(0, -1),
    live: { message: last, answer: answerOf(last) },
  };
}

interface Options {
  conversation: Conversation | undefined;
  /** Called when a new conversation has its id. */
  onNamed: (conversationId: string) => void;
  /** Called with a message that the server did not take, so that it can be sent again. */
  onUnsent: (text: string) => void;
}

/**
 * The chat's state in the browser: sends, reads the stream, resumes it after a lost connection or a reload, stops it.
 * The server holds the truth; leaving the page ends only the reading.
 */
export function useAnswer({ conversation, onNamed, onUnsent }: Options) {
  const [state, dispatch] = useReducer(reduce, conversation, stateOf);
  const current = useRef(state);
  current.current = state;
  const reading = useRef<AbortController>();
  const lastId = useRef(conversation?.lastEventId ?? 0);
  const stopWanted = useRef(false);

  const read = useCallback(async (response: Response, signal: AbortSignal): Promise<boolean> => {
    let waiting: AnswerEvent[] = [];
    let frame: number | undefined;
    // One render a frame however fast the model writes; a hidden tab has no frames, so a timer helps out.
    const show = () => {
      if (frame !== undefined) clearTimeout(frame);
      frame = undefined;
      const events = waiting;
      waiting = [];
      if (!signal.aborted && events.length > 0) dispatch({ type: "events", events });
    };
    try {
      return await readEvents(response, (event) => {
        if (event !== "done") lastId.current = event.id;
        waiting.push(event);
        frame ??= window.setTimeout(show, 16);
      });
    } finally {
      show();
    }
  }, []);

  const reload = useCallback(async (conversationId: string, signal: AbortSignal) => {
    const response = await fetch(`/api/ai/conversations/${conversationId}`, { signal });
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
          const response = await fetch(`/api/ai/chat/${conversationId}/stream`, {
            headers: { "Last-Event-ID": String(lastId.current) },
            signal,
          });
          if (response.status === 204) return void (await reload(conversationId, signal));
          if (!response.ok) return dispatch({ type: "refused", detail: await problemDetail(response) });
          if (await read(response, signal)) return;
        } catch {
          if (signal.aborted) return;
          // The connection is still lost: wait and try again.
        }
        if (lastId.current > before) tries = 0;
      }
      dispatch({
        type: "refused",
        detail: "The connection to the server was lost. Reload the page to see the rest.",
      });
    },
    [read, reload],
  );

  const sendStop = useCallback(async (conversationId: string) => {
    try {
      const response = await fetch(`/api/ai/chat/${conversationId}/stop`, { method: "POST" });
      if (response.ok) return;
      showToast({
        kind: "error",
        title: "Couldn't stop the answer",
        description: await problemDetail(response),
      });
    } catch {
      showToast({
        kind: "error",
        title: "Couldn't stop the answer",
        description: "The server can't be reached. Check your connection and try again.",
      });
    }
  }, []);

  const request = useCallback(
    async (url: string, body: unknown, messages: ChatMessage[], text: string | undefined) => {
      reading.current?.abort();
      const controller = new AbortController();
      const { signal } = controller;
      reading.current = controller;
      stopWanted.current = false;
      dispatch({ type: "sent", messages, answer: message("assistant", "") });
      let named = current.current.conversationId;
      let taken = false;
      const refuse = (detail: string) => {
        dispatch({ type: "refused", detail });
        if (text !== undefined) onUnsent(text);
      };
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
          body: JSON.stringify(body),
          signal,
        });
        if (!response.ok) return refuse(await problemDetail(response));
        taken = true;
        const id = response.headers.get("X-Conversation-Id");
        if (id && id !== named) {
          named = id;
          dispatch({ type: "named", conversationId: id });
          onNamed(id);
        }
        if (id && stopWanted.current) void sendStop(id);
        if (await read(response, signal)) return;
      } catch (error) {
        if (signal.aborted) return;
        reportError(error);
      }
      if (signal.aborted) return;
      // Without an answer it is unknown whether the message arrived: the text is restored, and the page's reload
      // decides.
      if (!taken || !named)
        return refuse("The server can't be reached. Check your connection and try again.");
      await follow(named, signal);
    },
    [follow, onNamed, onUnsent, read, sendStop],
  );

  const send = useCallback(
    (text: string, options: Record<string, unknown>) => {
      const { messages, conversationId } = current.current;
      const body = {
        ...options,
        messages: [{ role: "user", content: text }],
        ...(conversationId ? { conversationId } : {}),
      };
      return request("/api/ai/chat", body, [...messages, message("user", text)], text);
    },
    [request],
  );

  const regenerate = useCallback(
    (options: Record<string, unknown>) => {
      const { messages, conversationId } = current.current;
      const body = { ...options, messageId: messages.at(-1)?.id };
      return request(`/api/ai/chat/${conversationId}/regenerate`, body, messages.slice(0, -1), undefined);
    },
    [request],
  );

  /** Sends what was decided about a call that waits, and reads on where the answer continues. */
  const decide = useCallback(
    async (form: FormData): Promise<string | undefined> => {
      const id = current.current.conversationId;
      if (!id) return undefined;
      const sent = await sendDecision(id, form);
      if ("problem" in sent) return sent.problem;
      dispatch({ type: "decided", message: sent.message });
      if (sent.message.status !== "streaming") return undefined;
      reading.current?.abort();
      const controller = new AbortController();
      reading.current = controller;
      lastId.current = sent.lastEventId;
      void follow(id, controller.signal);
      return undefined;
    },
    [follow],
  );

  const stop = useCallback(async () => {
    const id = current.current.conversationId;
    // Before a new conversation has its id there is nothing to name: it is stopped as soon as there is.
    if (id) await sendStop(id);
    else stopWanted.current = true;
  }, [sendStop]);

  const reset = useCallback(() => {
    reading.current?.abort();
    reading.current = undefined;
    lastId.current = 0;
    dispatch({ type: "reset", state: EMPTY });
  }, []);

  // Another conversation was opened: what was read continues at the server, not here.
  useEffect(() => {
    if (conversation?.id === current.current.conversationId) return;
    reading.current?.abort();
    lastId.current = conversation?.lastEventId ?? 0;
    dispatch({ type: "reset", state: stateOf(conversation) });
  }, [conversation]);

  // A page that opens on a running answer continues reading it.
  const resumeId = conversation?.messages.at(-1)?.status === "streaming" ? conversation.id : undefined;
  useEffect(() => {
    if (!resumeId || reading.current?.signal.aborted === false) return;
    const controller = new AbortController();
    reading.current = controller;
    void follow(resumeId, controller.signal);
    return () => {
      controller.abort();
      reading.current = undefined;
    };
  }, [resumeId, follow]);

  useEffect(() => () => reading.current?.abort(), []);

  const messages = state.live ? [...state.messages, state.live.message] : state.messages;
  return {
    conversationId: state.conversationId,
    messages,
    loading: state.live !== undefined,
    send,
    regenerate,
    stop,
    decide,
    reset,
  };
}
