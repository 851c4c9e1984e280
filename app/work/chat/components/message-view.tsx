import { Bot, ChevronRight, CircleAlert, CircleStop, Hourglass, Info, Unplug } from "lucide-react";
import { createElement, Fragment, memo, useMemo } from "react";
import { toDisplayText } from "~/core/well-formed";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { Avatar } from "~/ui/avatar";
import { Spinner } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { countOf } from "~/ui/format";
import { RelativeTime } from "~/ui/time";
import { openQuestions } from "../answer-state.shared";
import type { ChatMessage, MessagePart } from "../chat.schema";
import { ANSWER_MINUTES, type Asker } from "../chat-choices.shared";
import type { RenderedMessage, RenderedText } from "../markdown/tree.shared";
import { type EarlierPassages, sourcesOf } from "../sources.shared";
import { useOpenedPanel } from "./branching";
import { CitationsProvider, SourcesView } from "./citations";
import { GoingOn } from "./going-on";
import { Markdown } from "./markdown";
import { AnswerFooter, QuestionActions } from "./message-actions";
import { answerFiles, attachments, messagePanel, questions, toolCalls } from "./message-parts";
import { PlainText } from "./plain-text";

function LeftOutImages({ message: { metrics } }: { message: Pick<ChatMessage, "metrics"> }) {
  const count = metrics?.imagesLeftOut;
  if (!count) return null;
  return (
    <p className="flex items-start gap-1.5 text-muted text-xs">
      <Info aria-hidden="true" className="mt-px size-3.5 shrink-0" />
      {countOf(count, "earlier image")} not sent to the model: only the newest are sent, and only to models
      that read images.
    </p>
  );
}

interface MessageViewProps {
  message: ChatMessage;
  asker?: Asker | undefined;
  /** `RenderedMessage` as JSON; without it the browser parses the text. */
  rendering?: string | undefined;
  untitled?: boolean;
  marked?: boolean;
  earlier?: EarlierPassages | undefined;
}

function Part({ part, tree }: { part: MessagePart; tree: RenderedText | null | undefined }) {
  switch (part.type) {
    case "text":
      return part.text ? <Markdown text={part.text} tree={tree} /> : null;
    case "reasoning":
      return part.text ? <Reasoning text={part.text} durationMs={part.durationMs} /> : null;
    case "tool":
      return (
        <>
          <toolCalls.Part part={part} />
          {openQuestions(part).map((question) => (
            <questions.Part key={question.id} question={question} tool={part.toolName} />
          ))}
        </>
      );
    case "file":
      return <answerFiles.Part file={part} />;
    case "step":
    case "attachment":
      return null;
  }
}

/** Keyed by index: parts only grow at the end. */
function Parts({ parts, rendering }: { parts: readonly MessagePart[]; rendering: string | undefined }) {
  // The server has validated it.
  const rendered = useMemo(
    () => (rendering === undefined ? undefined : (JSON.parse(rendering) as RenderedMessage)),
    [rendering],
  );
  const drawn = parts.map((part, index) => createElement(Part, { part, tree: rendered?.parts[index] }));
  return createElement(Fragment, null, ...drawn);
}

type AnswerProps = Pick<MessageViewProps, "message" | "rendering" | "earlier">;

function Answer({ message: { parts, model, status }, rendering, earlier }: AnswerProps) {
  const sources = useMemo(() => sourcesOf(parts, earlier), [parts, earlier]);
  return (
    <CitationsProvider value={sources}>
      <Parts parts={parts} rendering={rendering} />
      {/* The built-in model quotes every passage it can use. */}
      {status !== "streaming" && <SourcesView sources={sources.list} complete={model === OFFLINE_MODEL} />}
    </CitationsProvider>
  );
}

/** The contract's text (section 8). */
const APOLOGY = "Sorry, I encountered an error. Please try again.";
const INTERRUPTED = "Interrupted by a server restart or error. The text received until then is kept.";
const INTERRUPTED_EARLY = "Interrupted by a server restart or error before anything was received.";
const EMPTY = "The model gave no answer. Regenerate it, or ask in other words.";
const TIME_LIMIT_REACHED = `Stopped at the time limit of ${ANSWER_MINUTES} minutes.`;
const FILTERED = "A content filter of the provider ended this answer. Ask in other words.";
const MAY_BE_CUT = "The provider ended this answer without saying why: it may be cut off.";

/** What the limit of an answer's length is made of. */
function lengthLimit({ outputLimit }: NonNullable<ChatMessage["metrics"]>): string {
  if (!outputLimit) return "Stopped at the length limit.";
  const { tokens, thoughts, byContext } = outputLimit;
  const figure = (value: number) => value.toLocaleString("en-US");
  const parts =
    thoughts > 0
      ? `: Max tokens (${figure(tokens - thoughts)}) and ${figure(thoughts)} for thoughts`
      : " (Max tokens)";
  const source = byContext ? ", which is what the model's context leaves beside the conversation" : parts;
  return `Stopped at the length limit of ${figure(tokens)} tokens${source}.`;
}

/** The limit, and what to do if thoughts took all of it. */
function lengthReached({ metrics, content }: ChatMessage): string[] {
  const limit = metrics ? lengthLimit(metrics) : "";
  if (content !== "") return [limit];
  return [
    limit,
    "Its thoughts took all of it, so there is no answer. Choose a lower effort and regenerate, or have an admin raise Max tokens.",
  ];
}

const isEmpty = ({ parts }: ChatMessage): boolean => parts.every((part) => part.type === "step");

type Remark = [Icon: typeof Info, tone: string, ...lines: string[]];

/** What the reader is told of an answer that is not complete. */
function remarkOf(message: ChatMessage): Remark | undefined {
  const { status, error, metrics } = message;
  const [muted, warning] = ["text-muted", "text-warning-ink"];
  switch (status) {
    case "failed":
      return [
        CircleAlert,
        "text-danger-ink",
        ...(metrics?.refused ? [] : [APOLOGY]),
        ...(error ? [toDisplayText(error)] : []),
      ];
    case "waiting":
      return [Hourglass, warning, "Waiting for your approval. The answer continues once you have decided."];
    case "interrupted":
      return [Unplug, warning, isEmpty(message) ? INTERRUPTED_EARLY : INTERRUPTED];
    case "stopped":
      return [CircleStop, muted, metrics?.timeLimitReached ? TIME_LIMIT_REACHED : "Stopped"];
    default:
      if (metrics?.lengthReached) return [Info, muted, ...lengthReached(message)];
      if (metrics?.filtered) return [Info, muted, FILTERED];
      if (metrics?.mayBeCut) return [Info, muted, MAY_BE_CUT];
      if (!metrics?.stepsExhausted)
        return status === "complete" && isEmpty(message) ? [Info, warning, EMPTY] : undefined;
      return [Info, muted, `Stopped after ${countOf(metrics.steps, "step")}, the limit set by Max Steps.`];
  }
}

function Outcome({ message }: { message: ChatMessage }) {
  const remark = remarkOf(message);
  if (!remark) return null;
  const [Icon, tone, ...lines] = remark;
  return (
    <p
      className={cx(
        "wrap-anywhere flex items-start gap-1.5",
        message.status === "failed" ? "text-sm" : "text-xs",
        tone,
      )}
    >
      <Icon aria-hidden="true" className="mt-px size-3.5 shrink-0" />
      <span className="min-w-0">
        {lines.map((line) => (
          <span key={line} className="block">
            {line}
          </span>
        ))}
      </span>
    </p>
  );
}

function AuthorAvatar({ own, asker }: { own: boolean; asker: Asker | undefined }) {
  if (own) return <Avatar name={asker?.name ?? "You"} src={asker?.picture ?? null} size="sm" />;
  return (
    <span
      aria-hidden="true"
      className="grid size-7 shrink-0 place-items-center rounded-full bg-secondary-soft text-secondary-ink [&_svg]:size-4"
    >
      <Bot />
    </span>
  );
}

export const MessageView = memo(function MessageView({
  message,
  asker,
  rendering,
  untitled,
  marked,
  earlier,
}: MessageViewProps) {
  const own = message.role === "user";
  const running = message.status === "streaming";
  const panel = useOpenedPanel(message);
  const edited = own && panel === "edit";
  const empty = isEmpty(message);
  return (
    <article
      id={untitled ? undefined : message.id}
      data-marked={marked || undefined}
      aria-label={own ? "You" : "Assistant"}
      className={cx(
        "group -mx-2 flex min-w-0 scroll-mt-32 gap-3 rounded-lg px-2",
        own && !untitled && "flex-row-reverse",
        marked && "outline-2 outline-focus outline-offset-4",
      )}
    >
      {!untitled && <AuthorAvatar own={own} asker={asker} />}
      <div className="min-w-0 flex-1 space-y-2">
        {!untitled && (
          <p className={cx("text-muted text-xs leading-7", own && "text-end")}>
            {own ? "You" : "Assistant"}
            {message.persona && (
              <>
                {" as "}
                <bdi>{toDisplayText(message.persona)}</bdi>
              </>
            )}
            {" · "}
            <RelativeTime at={message.timestamp} style="short" />
          </p>
        )}
        {edited ? null : own ? (
          <div
            className={
              untitled
                ? undefined
                : "ml-auto w-fit max-w-full space-y-2 rounded-lg bg-raised px-4 py-2.5 forced-colors:border print:border"
            }
          >
            {message.parts.some(({ type }) => type === "attachment") && (
              <attachments.Part message={message} />
            )}
            {message.content && <PlainText text={message.content} />}
          </div>
        ) : (
          <Answer message={message} rendering={rendering} earlier={earlier} />
        )}
        {running && (
          <p role="status" className="flex items-center gap-2 text-muted text-xs">
            <Spinner /> {message.waiting ? toDisplayText(message.waiting) : empty ? "Thinking…" : "Writing…"}
          </p>
        )}
        <Outcome message={message} />
        {!running && <GoingOn message={message} />}
        <LeftOutImages message={message} />
        {!own && !running && (
          <AnswerFooter message={message} anchor={untitled ? undefined : `actions-${message.id}`} />
        )}
        {own && !untitled && !edited && <QuestionActions message={message} />}
        {panel && <messagePanel.Part message={message} panel={panel} />}
      </div>
    </article>
  );
});

export function thoughtFor(ms: number): string {
  if (ms < 1000) return "Thought for less than 1 s";
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `Thought for ${seconds} s`;
  return `Thought for ${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function Reasoning({ text, durationMs }: { text: string; durationMs: number | undefined }) {
  return (
    <details className="group/reasoning text-muted text-sm">
      <summary className="flex min-h-8 w-fit cursor-pointer items-center gap-1 py-1.5 hover:text-ink pointer-coarse:min-h-11 pointer-coarse:py-3">
        {durationMs === undefined ? "Reasoning" : thoughtFor(durationMs)}
        <ChevronRight
          aria-hidden="true"
          className="size-3.5 shrink-0 transition-transform group-open/reasoning:rotate-90 print:hidden"
        />
      </summary>
      <div className="border-line border-l-2 pl-3">
        <PlainText text={text} />
      </div>
    </details>
  );
}
