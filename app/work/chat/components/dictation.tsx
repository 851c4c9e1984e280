import { Check, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { Button, IconButton, Spinner } from "~/ui/button";
import { detailOf, UNREACHABLE } from "~/ui/failures";
import { DiscardQuestion } from "~/ui/guarded-forms";
import { FieldError } from "~/ui/input";
import { useLeaveGuard } from "~/ui/leave-guard";

/** In seconds: a recording is sent then. */
const LONGEST = 600;
/** In bits per second, enough for speech. */
const QUALITY = 32_000;

/** What of the browsers' own recognition is used (https://webaudio.github.io/web-speech-api). */
interface Recognition {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onresult: (event: {
    resultIndex: number;
    results: ArrayLike<{ isFinal: boolean; 0?: { transcript: string } }>;
  }) => void;
  onerror: (event: { error: string }) => void;
  onend: () => void;
  start(): void;
  stop(): void;
  abort(): void;
}

/** Something that listens: `finish` ends it with its text, `cancel` without. */
interface Listener {
  finish(): void;
  cancel(): void;
}

interface Reports {
  onHeard: (text: string, isSoFar?: boolean) => void;
  onWait: () => void;
  /** @param again sends the same recording once more */
  onProblem: (problem: string, again?: () => void) => void;
}

const DENIED =
  "The browser doesn't allow this page to use the microphone. Allow it beside the address, and try again.";

function problemOf(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "NotAllowedError") return DENIED;
  if (name === "SecurityError")
    return "Browsers give the microphone to pages over HTTPS alone. Ask an admin.";
  return name === "NotFoundError"
    ? "No microphone was found. Connect one, and try again."
    : "The microphone can't be used. Another program may hold it.";
}

async function transcribe(sound: Blob, signal: AbortSignal): Promise<{ text: string } | { problem: string }> {
  const form = new FormData();
  form.append("file", sound, "recording");
  try {
    const headers = { Accept: "application/json" };
    const address = withBase("/api/ai/transcriptions");
    const response = await fetch(address, { method: "POST", body: form, headers, signal });
    const body: unknown = await response.json().catch(() => undefined);
    if (!response.ok) return { problem: detailOf(response.status, body) };
    return { text: String((body as { text?: unknown } | undefined)?.text ?? "") };
  } catch {
    return { problem: UNREACHABLE };
  }
}

/** Records until it is finished, and has a model transcribe that. */
async function record({ onHeard, onWait, onProblem }: Reports, signal: AbortSignal): Promise<Listener> {
  if (!navigator.mediaDevices) return Promise.reject(new DOMException("", "SecurityError"));
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const release = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  if (signal.aborted) {
    release();
    throw signal.reason;
  }
  const type = ["audio/webm;codecs=opus", "audio/mp4"].find((one) => MediaRecorder.isTypeSupported(one));
  const recorder = new MediaRecorder(stream, {
    ...(type && { mimeType: type }),
    audioBitsPerSecond: QUALITY,
  });
  const pieces: Blob[] = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  const send = async () => {
    onWait();
    const result = await transcribe(new Blob(pieces, { type: recorder.mimeType }), signal);
    if (signal.aborted) return;
    if ("problem" in result) onProblem(result.problem, send);
    else if (result.text.trim() === "") onProblem("Nothing was heard. Try again closer to the microphone.");
    else onHeard(result.text.trim());
  };
  recorder.onstop = () => {
    release();
    if (!signal.aborted) void send();
  };
  recorder.start();
  const stop = () => {
    if (recorder.state !== "inactive") recorder.stop();
  };
  return { finish: stop, cancel: stop };
}

/** Lets the browser recognize what is said. */
function recognize({ onHeard, onProblem }: Reports): Listener {
  const { SpeechRecognition, webkitSpeechRecognition } = window as unknown as Record<
    string,
    new () => Recognition
  >;
  const Maker = SpeechRecognition ?? webkitSpeechRecognition;
  if (!Maker) throw new TypeError("No recognition");
  const recognition = new Maker();
  let heard = "";
  let failed = false;
  recognition.lang = navigator.language;
  recognition.continuous = true;
  recognition.interimResults = true;
  recognition.onresult = ({ resultIndex, results }) => {
    let rest = "";
    for (const result of [...Array.from(results)].slice(resultIndex)) {
      const text = result[0]?.transcript ?? "";
      if (result.isFinal) heard = `${heard} ${text.trim()}`.trim();
      else rest += text;
    }
    onHeard(`${heard} ${rest.trim()}`.trim(), true);
  };
  recognition.onerror = ({ error }) => {
    if (error === "aborted" || error === "no-speech") return;
    failed = true;
    onProblem(
      error === "not-allowed" ? DENIED : "The browser couldn't recognize speech. Try again, or type.",
    );
  };
  recognition.onend = () => {
    if (!failed) onHeard(heard);
  };
  recognition.start();
  return {
    finish: () => recognition.stop(),
    cancel: () => {
      recognition.onend = () => undefined;
      recognition.abort();
    },
  };
}

const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

interface DictationProps {
  /** Whether a model transcribes; else the browser recognizes. */
  hasModel: boolean;
  content: string;
  onContent: (text: string) => void;
  onClose: () => void;
}

type State =
  | { kind: "asking" | "listening" | "waiting" }
  | { kind: "failed"; problem: string; again: (() => void) | undefined };

/** Above the composer's field: listens, and puts what was said behind what is written. */
export function Dictation({ hasModel, content, onContent, onClose }: DictationProps) {
  const [state, setState] = useState<State>({ kind: "asking" });
  const [attempt, setAttempt] = useState(0);
  const [seconds, setSeconds] = useState(0);
  const [soFar, setSoFar] = useState("");
  const listener = useRef<Listener>();
  const bar = useRef<HTMLFieldSetElement>(null);
  const latest = useRef({ content, onContent, onClose });
  latest.current = { content, onContent, onClose };
  const isRecorded = useRef(false);
  isRecorded.current =
    state.kind === "listening" ||
    state.kind === "waiting" ||
    (state.kind === "failed" && state.again !== undefined);
  const blocker = useLeaveGuard(useMemo(() => ({ isUnsaved: () => isRecorded.current }), []));

  const close = () => {
    bar.current?.closest("form")?.querySelector("textarea")?.focus();
    latest.current.onClose();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: listens once an attempt, until it is gone.
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const onProblem = (problem: string, again?: () => void) => {
      if (!signal.aborted) setState({ kind: "failed", problem, again });
    };
    setState({ kind: "asking" });
    setSeconds(0);
    setSoFar("");
    const reports: Reports = {
      onProblem,
      onWait: () => setState({ kind: "waiting" }),
      onHeard: (text, isSoFar) => {
        if (signal.aborted) return;
        if (isSoFar) return setSoFar(text);
        const { content: written, onContent: write } = latest.current;
        if (text) write(written.trim() === "" ? text : `${written.trimEnd()} ${text}`);
        close();
      },
    };
    const begin = async () => (hasModel ? record(reports, signal) : recognize(reports));
    begin().then(
      (one) => {
        if (signal.aborted) return one.cancel();
        listener.current = one;
        setState((current) => (current.kind === "asking" ? { kind: "listening" } : current));
      },
      (error) => onProblem(problemOf(error)),
    );
    return () => {
      controller.abort();
      listener.current?.cancel();
    };
  }, [attempt]);

  const isListening = state.kind === "listening";
  // biome-ignore lint/correctness/useExhaustiveDependencies: each state takes the focused button of the last one away.
  useEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === document.body || activeElement?.matches(":disabled");
    if (isLost || bar.current?.contains(activeElement)) bar.current?.querySelector("button")?.focus();
  }, [state.kind]);
  useEffect(() => {
    if (!isListening) return;
    const timer = setInterval(() => setSeconds((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, [isListening]);
  useEffect(() => {
    if (seconds === LONGEST) listener.current?.finish();
  }, [seconds]);

  return (
    <fieldset
      ref={bar}
      data-dictation=""
      aria-label="Dictation"
      className="flex flex-wrap items-center gap-2 rounded-md bg-raised px-2 py-1 text-sm"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        close();
      }}
    >
      <span className="flex min-w-0 flex-1 basis-40 items-center gap-2">
        {state.kind === "failed" ? (
          <FieldError>{state.problem}</FieldError>
        ) : (
          <>
            {isListening ? (
              <span
                aria-hidden="true"
                className="size-2.5 shrink-0 animate-pulse rounded-full bg-danger-ink"
              />
            ) : (
              <Spinner />
            )}
            <span role="status">
              {isListening
                ? "Listening"
                : state.kind === "asking"
                  ? "Waiting for the microphone…"
                  : "Transcribing…"}
            </span>
            {isListening && <span className="text-muted tabular-nums">{clock(seconds)}</span>}
            {soFar && <span className="min-w-0 truncate text-muted">{soFar}</span>}
          </>
        )}
      </span>
      {isListening && (
        <Button type="button" size="sm" icon={<Check />} onClick={() => listener.current?.finish()}>
          Done
        </Button>
      )}
      {state.kind === "failed" && (
        <Button type="button" size="sm" onClick={() => (state.again ?? (() => setAttempt(attempt + 1)))()}>
          Try Again
        </Button>
      )}
      <IconButton type="button" label="Cancel dictation" icon={<X />} onClick={close} />
      {!hasModel && state.kind !== "failed" && (
        <p className="basis-full text-muted text-xs">
          Your browser recognizes the speech. Its maker may get the sound.
        </p>
      )}
      {blocker.state === "blocked" && (
        <DiscardQuestion
          question="Discard what you said?"
          labels={["Stay", "Discard"]}
          blocker={blocker}
          className="fixed"
        />
      )}
    </fieldset>
  );
}
