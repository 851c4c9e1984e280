import { Play } from "lucide-react";
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import { isStreamChunk, parseEvent } from "~/ai/tools/stream-event.shared";
import { withBase } from "~/core/base-path";
import { Button } from "~/ui/button";
import { UNREACHABLE } from "~/ui/failures";
import { Field, FieldError, Textarea } from "~/ui/input";
import { ScrollRegion } from "~/ui/scroll-region";
import { readServerEvents } from "~/ui/server-events";
import { fieldProps, type ServerField } from "~/ui/server-form";
import type { PersonaTrial } from "../personas.schema";

/** A trial's answer and its form. */
export interface Tryout {
  answer: string;
  model: string;
  submitted: PersonaTrial;
}

export interface PersonaTryoutProps {
  question: ServerField;
  tryout: Tryout | undefined;
  isPending: boolean;
  /** Shows an answer, and `fallback` until its code has loaded. */
  Markdown: (props: { text: string; fallback: ReactNode }) => ReactNode;
}

/** Without JavaScript the form is posted. */
export function PersonaTryout({ question, tryout, isPending, Markdown }: PersonaTryoutProps) {
  const { shown: streamed, onAsk } = useTryout();
  const answered = streamed ?? (tryout && { ...tryout, error: undefined, isRunning: false });
  return (
    <section
      aria-label="Try It"
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-3 md:sticky md:top-0"
    >
      <h3 className="text-sm">Try It</h3>
      <Field
        label="Question"
        {...fieldProps(question)}
        error={streamed ? undefined : question.errors}
        hint="Ask before you save. Tools aren't called, and nothing is stored."
      >
        <Textarea rows={3} defaultValue={question.initialValue} placeholder="What would you look at first?" />
      </Field>
      <Button
        size="sm"
        name="intent"
        value="try"
        pending={isPending || streamed?.isRunning === true}
        onClick={onAsk}
        icon={<Play />}
        className="self-start"
      >
        Ask
      </Button>
      <div role="status" className="min-w-0 empty:hidden">
        {answered && <Answer {...answered} Markdown={Markdown} />}
      </div>
    </section>
  );
}

type AnswerProps = StreamedTryout & Pick<PersonaTryoutProps, "Markdown">;

function Answer({ answer, model, error, isRunning, Markdown }: AnswerProps) {
  return (
    <div className="flex flex-col gap-1 border-line border-t pt-3">
      {model && (
        <p className="text-muted text-xs">
          Answer by <span className="font-mono">{model}</span>
        </p>
      )}
      {isRunning && answer === "" && <p className="text-muted text-xs">Thinking…</p>}
      {answer !== "" && (
        <ScrollRegion label="Answer" className="max-h-80 overflow-y-auto text-sm">
          <Markdown text={answer} fallback={<p className="wrap-anywhere whitespace-pre-wrap">{answer}</p>} />
        </ScrollRegion>
      )}
      {!isRunning && answer === "" && !error && <p className="text-sm">The model returned no text.</p>}
      {error && <FieldError>{error}</FieldError>}
    </div>
  );
}

interface StreamedTryout {
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
function useTryout() {
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
    const response = await fetch(withBase("/api/personas/try"), {
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
