import { type MouseEvent, useEffect, useRef, useState } from "react";
import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import { isStreamChunk, parseEvent } from "~/ai/tools/stream-event.shared";
import { UNREACHABLE } from "~/ui/failures";
import { readServerEvents } from "~/ui/server-events";

export interface StreamedTryout {
  answer: string;
  model: string | undefined;
  error: string | undefined;
  isRunning: boolean;
}

const STARTED: StreamedTryout = { answer: "", model: undefined, error: undefined, isRunning: true };

function fold(state: StreamedTryout, event: StreamChunk): StreamedTryout {
  switch (event.type) {
    case "start":
      return { ...state, model: event.messageMetadata.model };
    case "text-delta":
      return { ...state, answer: state.answer + event.delta };
    case "error":
      return { ...state, error: event.errorText };
    default:
      return state;
  }
}

function bodyOf(form: HTMLFormElement): string {
  const fields = new FormData(form);
  const lists = { tools: fields.getAll("tools"), groups: fields.getAll("groups") };
  return JSON.stringify({ ...Object.fromEntries(fields), ...lists });
}

/** Streams an answer in place; refused input is posted as the form. */
export function useTryout() {
  const [shown, setShown] = useState<StreamedTryout>();
  const running = useRef<AbortController>();
  useEffect(() => () => running.current?.abort(), []);

  const ask = async (button: HTMLButtonElement, form: HTMLFormElement) => {
    const controller = new AbortController();
    running.current?.abort();
    running.current = controller;
    const { signal } = controller;
    const fail = (error: string) => {
      if (!signal.aborted) setShown((before) => ({ ...(before ?? STARTED), error, isRunning: false }));
    };
    setShown(STARTED);
    const response = await fetch("/api/personas/try", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: bodyOf(form),
      signal,
    }).catch(() => undefined);
    if (!response) return fail(UNREACHABLE);
    if (!response.ok || !response.body) {
      setShown(undefined);
      return form.requestSubmit(button);
    }
    let isDone = false;
    let isMalformed = false;
    const onEvent = ({ data }: { data: string }) => {
      isDone ||= data === "[DONE]";
      if (isDone || isMalformed) return;
      const event = parseEvent(data);
      if (isStreamChunk(event))
        setShown((before) => (signal.aborted ? before : fold(before ?? STARTED, event)));
      else isMalformed = true;
    };
    await readServerEvents(response.body, onEvent, () => isMalformed);
    if (!isDone) return fail("The answer was interrupted. Try again.");
    if (!signal.aborted) setShown((before) => before && { ...before, isRunning: false });
  };

  const onAsk = (event: MouseEvent<HTMLButtonElement>) => {
    const { currentTarget: button } = event;
    if (!button.form) return;
    event.preventDefault();
    void ask(button, button.form);
  };
  return { shown, onAsk };
}
