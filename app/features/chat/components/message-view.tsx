import { Bot, CircleAlert, CircleStop, Info, Unplug, User } from "lucide-react";
import { createElement, Fragment, memo, type ReactNode, useMemo } from "react";
import { OFFLINE_MODEL } from "~/features/models/offline-model.schema";
import { cx } from "~/ui/class-names";
import { CopyButton } from "~/ui/copy-button";
import { formatCost, formatDuration, formatTokens } from "~/ui/format";
import { Spinner } from "~/ui/spinner";
import type { ChatMessage, MessagePart } from "../chat.schema";
import type { RenderedMessage, RenderedText } from "../markdown/tree.schema";
import { shownText } from "../shown-text.schema";
import { type EarlierPassages, sourcesOf } from "../sources.schema";
import { CitationsProvider } from "./citations";
import { Markdown } from "./markdown";
import { PlainText } from "./plain-text";
import { RouteView } from "./route-view";
import { SourcesView } from "./sources-view";
import { ToolCallView } from "./tool-call-view";

function Part({ part, tree }: { part: MessagePart; tree: RenderedText | null | undefined }) {
  switch (part.type) {
    case "text":
      return part.text ? <Markdown text={part.text} tree={tree} /> : null;
    case "reasoning":
      return part.text ? (
        <details className="text-muted text-sm">
          <summary className="min-h-8 cursor-pointer py-1.5">Reasoning</summary>
          <div className="border-line border-l-2 pl-3">
            <PlainText text={part.text} />
          </div>
        </details>
      ) : null;
    case "tool":
      return <ToolCallView part={part} />;
    case "step":
      return null;
  }
}

/** Parts by their place: they have no identity of their own and only ever grow at the end. */
function Parts({ parts, rendering }: { parts: readonly MessagePart[]; rendering: string | undefined }) {
  // The server has parsed it by its schema.
  const rendered = useMemo(
    () => (rendering === undefined ? undefined : (JSON.parse(rendering) as RenderedMessage)),
    [rendering],
  );
  const drawn = parts.map((part, index) => createElement(Part, { part, tree: rendered?.parts[index] }));
  return createElement(Fragment, null, ...drawn);
}

/** An answer with the passages it rests on; they are listed when it is whole. */
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
      {/* The built-in model quotes what it found fitting, and says so where nothing was. */}
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

function Outcome({ message }: { message: ChatMessage }) {
  if (message.status === "failed") {
    return (
      <Remark icon={<CircleAlert aria-hidden="true" />} tone="danger">
        {shownText(message.error ?? "The answer failed.")}
      </Remark>
    );
  }
  if (message.status === "stopped") {
    return (
      <Remark icon={<CircleStop aria-hidden="true" />} tone="muted">
        Stopped
      </Remark>
    );
  }
  if (message.status === "interrupted") {
    return (
      <Remark icon={<Unplug aria-hidden="true" />} tone="warning">
        Interrupted: the server was restarted while this was being written. The text received until then is
        kept.
      </Remark>
    );
  }
  if (message.metrics?.stepsExhausted) {
    return (
      <Remark icon={<Info aria-hidden="true" />} tone="muted">
        Ended after {message.metrics.steps} {message.metrics.steps === 1 ? "step" : "steps"}, the most that
        Max Steps allows.
      </Remark>
    );
  }
  return null;
}

function Figures({ message }: { message: ChatMessage }) {
  const { metrics } = message;
  if (!metrics) return message.model ? <span className="wrap-anywhere min-w-0">{message.model}</span> : null;
  const items: { label: string; text: string }[] = [];
  if (metrics.costMicros !== null) items.push({ label: "Cost", text: formatCost(metrics.costMicros) });
  if (metrics.durationMs !== null)
    items.push({ label: "Duration", text: formatDuration(metrics.durationMs) });
  if (metrics.firstTokenMs !== null) {
    items.push({ label: "Time to first token", text: `first token ${formatDuration(metrics.firstTokenMs)}` });
  }
  if (metrics.inputTokens !== null && metrics.outputTokens !== null) {
    const text = `${formatTokens(metrics.inputTokens)} in, ${formatTokens(metrics.outputTokens)} out`;
    items.push({ label: "Tokens", text });
  }
  return (
    <>
      <span className="wrap-anywhere min-w-0">
        {[message.model, metrics.provider].filter(Boolean).join(" · ")}
      </span>
      {items.map(({ label, text }) => (
        <span key={label} title={label} className="tabular-nums">
          {text}
        </span>
      ))}
    </>
  );
}

/** One message; an answer with its tool calls, its end and its figures. */
export const MessageView = memo(function MessageView({
  message,
  rendering,
  actions,
  untitled,
  earlier,
}: {
  message: ChatMessage;
  /** Its Markdown as the server read it (`RenderedMessage`, as JSON); without it the browser reads it. */
  rendering?: string | undefined;
  actions?: ReactNode;
  /** Leaves out who speaks, where the frame around says it. */
  untitled?: boolean;
  /** What the conversation had found before: a number may be one of its. */
  earlier?: EarlierPassages | undefined;
}) {
  const own = message.role === "user";
  const running = message.status === "streaming";
  const empty = message.parts.every((part) => part.type === "step");
  return (
    <article aria-label={own ? "You" : "Assistant"} className="group flex min-w-0 gap-3">
      {!untitled && (
        <span
          aria-hidden="true"
          className={cx(
            "mt-0.5 grid size-7 shrink-0 place-items-center rounded-full [&_svg]:size-4",
            own ? "bg-primary-soft text-primary-ink" : "bg-secondary-soft text-secondary-ink",
          )}
        >
          {own ? <User /> : <Bot />}
        </span>
      )}
      <div className="min-w-0 flex-1 space-y-2">
        {!untitled && (
          <p className="text-muted text-xs leading-7">
            {own ? "You" : "Assistant"}
            {message.persona && (
              <>
                {" as "}
                <bdi>{shownText(message.persona)}</bdi>
              </>
            )}
          </p>
        )}
        {own ? (
          <PlainText text={message.content} />
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
        {!own && !running && (
          <footer className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs">
            <Figures message={message} />
            <span className="flex items-center gap-1">
              {message.content && <CopyButton text={message.content} label="Copy answer" />}
              {actions}
            </span>
          </footer>
        )}
        {!running && message.metrics?.route && <RouteView route={message.metrics.route} />}
      </div>
    </article>
  );
});
