import { Bot, ChevronRight, CircleAlert, CircleStop, Hourglass, Info, Unplug } from "lucide-react";
import { createElement, Fragment, memo, type ReactNode, useMemo } from "react";
import { toDisplayText } from "~/core/shown-text";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { Avatar } from "~/ui/avatar";
import { cx } from "~/ui/class-names";
import { countOf } from "~/ui/format";
import { Spinner } from "~/ui/spinner";
import { RelativeTime } from "~/ui/time";
import type { ChatMessage, MessagePart } from "../chat.schema";
import { ANSWER_MINUTES, type Asker } from "../chat-choices.shared";
import type { RenderedMessage, RenderedText } from "../markdown/tree.shared";
import { type EarlierPassages, sourcesOf } from "../sources.shared";
import { useOpenedPanel } from "./branching";
import { CitationsProvider, SourcesView } from "./citations";
import { Markdown } from "./markdown";
import { AnswerFooter, QuestionActions } from "./message-actions";
import { attachments, messagePanel, toolCalls } from "./message-parts";
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

function Part({ part, tree }: { part: MessagePart; tree: RenderedText | null | undefined }) {
  switch (part.type) {
    case "text":
      return part.text ? <Markdown text={part.text} tree={tree} /> : null;
    case "reasoning":
      return part.text ? <Reasoning text={part.text} durationMs={part.durationMs} /> : null;
    case "tool":
      return <toolCalls.Part part={part} />;
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

function Answer({
  parts,
  rendering,
  model,
  running,
  earlier,
}: {
  parts: readonly MessagePart[];
  rendering: string | undefined;
  model: string | null;
  running: boolean;
  earlier: EarlierPassages | undefined;
}) {
  const sources = useMemo(() => sourcesOf(parts, earlier), [parts, earlier]);
  return (
    <CitationsProvider value={sources}>
      <Parts parts={parts} rendering={rendering} />
      {/* The built-in model quotes every passage it can use. */}
      {!running && <SourcesView sources={sources.list} complete={model === OFFLINE_MODEL} />}
    </CitationsProvider>
  );
}

function Remark({
  icon,
  tone,
  children,
}: {
  icon: ReactNode;
  tone: "muted" | "danger" | "warning";
  children: ReactNode;
}) {
  const colour = { muted: "text-muted", danger: "text-danger-ink", warning: "text-warning-ink" }[tone];
  return (
    <p
      className={cx(
        "wrap-anywhere flex items-start gap-1.5 text-xs [&_svg]:mt-px [&_svg]:size-3.5 [&_svg]:shrink-0",
        colour,
      )}
    >
      {icon}
      <span className="min-w-0">{children}</span>
    </p>
  );
}

/** The contract's text (section 8). */
const APOLOGY = "Sorry, I encountered an error. Please try again.";

function Outcome({ message }: { message: ChatMessage }) {
  if (message.status === "failed") {
    return (
      <Remark icon={<CircleAlert aria-hidden="true" />} tone="danger">
        <span className="block">{APOLOGY}</span>
        {message.error && <span className="block">{toDisplayText(message.error)}</span>}
      </Remark>
    );
  }
  if (message.status === "waiting") {
    return (
      <Remark icon={<Hourglass aria-hidden="true" />} tone="warning">
        Waiting for your approval. The answer continues once you have decided.
      </Remark>
    );
  }
  if (message.status === "stopped") {
    return (
      <Remark icon={<CircleStop aria-hidden="true" />} tone="muted">
        {message.metrics?.timeLimitReached
          ? `Stopped at the time limit of ${ANSWER_MINUTES} minutes. Ask to continue, or regenerate the answer.`
          : "Stopped"}
      </Remark>
    );
  }
  if (message.status === "interrupted") {
    return (
      <Remark icon={<Unplug aria-hidden="true" />} tone="warning">
        Interrupted by a server restart or error. The text received until then is kept. Regenerate to get a
        complete answer.
      </Remark>
    );
  }
  if (message.metrics?.lengthReached) {
    return (
      <Remark icon={<Info aria-hidden="true" />} tone="muted">
        Stopped at the length limit. Ask to continue, or have an admin raise Max tokens in the settings.
      </Remark>
    );
  }
  if (message.metrics?.stepsExhausted) {
    return (
      <Remark icon={<Info aria-hidden="true" />} tone="muted">
        Stopped after {message.metrics.steps} {message.metrics.steps === 1 ? "step" : "steps"}, the limit set
        by Max Steps.
      </Remark>
    );
  }
  return null;
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
}: {
  message: ChatMessage;
  /** The author of user messages. */
  asker?: Asker | undefined;
  /** `RenderedMessage` as JSON; without it the browser parses the text. */
  rendering?: string | undefined;
  /** Hides the author. */
  untitled?: boolean;
  marked?: boolean;
  /** Earlier passages, which the answer may cite. */
  earlier?: EarlierPassages | undefined;
}) {
  const own = message.role === "user";
  const running = message.status === "streaming";
  const panel = useOpenedPanel(message);
  const edited = own && panel === "edit";
  const empty = message.parts.every((part) => part.type === "step");
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
          <Answer
            parts={message.parts}
            rendering={rendering}
            model={message.model}
            running={running}
            earlier={earlier}
          />
        )}
        {running && (
          <p role="status" className="flex items-center gap-2 text-muted text-xs">
            <Spinner /> {empty ? "Thinking…" : "Writing…"}
          </p>
        )}
        <Outcome message={message} />
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

export function Reasoning({ text, durationMs }: { text: string; durationMs: number | undefined }) {
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
