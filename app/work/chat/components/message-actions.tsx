import { Form } from "@remix-run/react";
import {
  ChevronRight,
  CircleAlert,
  CircleCheck,
  CircleSlash,
  CircleStop,
  Columns2,
  GitFork,
  MessageSquareMore,
  Pencil,
  RotateCcw,
  Shuffle,
  ThumbsDown,
  ThumbsUp,
  Volume2,
} from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { toDisplayText } from "~/core/well-formed";
import type { RouteAttempt, RouteRecord } from "~/platform/catalogue/models.schema";
import { IconButton, IconLink } from "~/ui/button";
import { CopyButton } from "~/ui/copy-button";
import { formatCost, formatDuration, formatTokens } from "~/ui/format";
import { useHydrated } from "~/ui/hydration";
import { HiddenFields } from "~/ui/input";
import type { ChatMessage } from "../chat.schema";
import { type Branching, useBranching } from "./branching";
import { preloadMarkdown } from "./markdown-reader";

const SLIM = "px-0! pointer-fine:min-h-7! pointer-fine:min-w-7! [&_svg]:size-3.5!";

interface PostProps {
  branching: Branching;
  message: ChatMessage;
  intent: "variant" | "branch" | "feedback";
  label: string;
  icon: ReactNode;
  target?: string | undefined;
  fields?: Record<string, string>;
  pressed?: boolean;
  disabled?: boolean;
}

function Post({ branching, message, intent, label, icon, target, fields, pressed, disabled }: PostProps) {
  return (
    <Form method="post" action={branching.action} preventScrollReset className="inline-flex">
      <HiddenFields values={{ messageId: target ?? message.id, ...fields }} />
      <IconButton
        name="intent"
        value={intent}
        label={label}
        icon={icon}
        aria-pressed={pressed}
        disabled={disabled}
        className={pressed ? `${SLIM} text-primary-ink!` : SLIM}
      />
    </Form>
  );
}

function Variants({ message, branching }: { message: ChatMessage; branching: Branching }) {
  const { id, variants, role } = message;
  if (variants.length === 0) return null;
  const at = variants.indexOf(id);
  const post = { branching, message, intent: "variant" } as const;
  const before = variants[at - 1];
  const behind = variants[at + 1];
  const step = (label: string, icon: ReactNode, target: string | undefined) => (
    <Post {...post} label={label} icon={icon} target={target} disabled={!target || branching.busy} />
  );
  return (
    <span className="inline-flex items-center">
      {step("Previous version", <ChevronRight className="rotate-180" />, before)}
      <span className="whitespace-nowrap text-xs tabular-nums">
        <span className="sr-only">Version </span>
        {at + 1} / {variants.length}
      </span>
      {step("Next version", <ChevronRight />, behind)}
      {role === "assistant" && (
        <IconLink
          to={branching.addressOf("variants", id)}
          preventScrollReset
          label="Compare versions"
          icon={<Columns2 />}
          className={SLIM}
        />
      )}
    </span>
  );
}

function Rating({ message, branching }: { message: ChatMessage; branching: Branching }) {
  const { id, feedback } = message;
  const post = { branching, message, intent: "feedback" } as const;
  const scripted = useHydrated();
  const rate = (rating: "up" | "down", label: string, icon: ReactNode) => {
    const pressed = feedback?.rating === rating;
    // A rating with a comment is removed in the comment's panel.
    const asks = pressed && feedback.comment !== null;
    const to = asks ? branching.addressOf("comment", id) : branching.addressOf();
    // Keeps the scroll position.
    const back: Record<string, string> = scripted || asks ? { returnTo: to } : {};
    const removes = pressed && !asks;
    const fields = { rating: removes ? "" : rating, comment: feedback?.comment ?? "", ...back };
    return <Post {...post} label={label} icon={icon} pressed={pressed} fields={fields} />;
  };
  return (
    <>
      {rate("up", "Good answer", <ThumbsUp />)}
      {rate("down", "Bad answer", <ThumbsDown />)}
      {feedback && (
        <IconLink
          to={branching.addressOf("comment", id)}
          preventScrollReset
          label={feedback.comment ? "Edit comment" : "Add comment"}
          icon={<MessageSquareMore />}
          className={SLIM}
        />
      )}
    </>
  );
}

function Regenerate({ message, branching }: { message: ChatMessage; branching: Branching }) {
  return (
    <form
      method="post"
      action={withBase(branching.action)}
      className="inline-flex"
      onSubmit={(event) => {
        event.preventDefault();
        preloadMarkdown();
        branching.onRegenerate(message.id);
      }}
    >
      <input type="hidden" name="messageId" value={message.id} />
      <IconButton
        name="intent"
        value="regenerate"
        label="Regenerate"
        icon={<RotateCcw />}
        disabled={branching.busy}
        className={SLIM}
      />
    </form>
  );
}

function ReadAloud({ message, branching }: { message: ChatMessage; branching: Branching }) {
  const [isReading, setReading] = useState(false);
  const reading = useRef<AbortController>();
  const hydrated = useHydrated();
  const { speaks, action } = branching;
  useEffect(() => () => reading.current?.abort(), []);
  if (!speaks && !(hydrated && "speechSynthesis" in window)) return null;
  const path = `/api/ai/conversations${action.slice("/chat".length)}/messages/${message.id}/speech`;
  const look = {
    label: isReading ? "Stop reading" : "Read aloud",
    icon: isReading ? <CircleStop /> : <Volume2 />,
    className: SLIM,
  };
  const toggle = async () => {
    if (isReading) return reading.current?.abort();
    const controller = new AbortController();
    reading.current = controller;
    setReading(true);
    const address = speaks ? withBase(path) : undefined;
    try {
      const { readAnswer } = await import("./read-aloud");
      await readAnswer({ address, content: message.content, controller });
    } finally {
      setReading(false);
    }
  };
  // Without script it is a download.
  return hydrated ? (
    <IconButton type="button" onClick={toggle} {...look} />
  ) : (
    <IconLink to={path} reloadDocument {...look} />
  );
}

function AnswerActions({ message }: { message: ChatMessage }) {
  const branching = useBranching(message);
  // An error alone is nothing to rate or to begin a branch with.
  const isAnswer = message.status === "complete" || message.content !== "";
  return (
    <span className="flex flex-wrap items-center sm:shrink-0 print:hidden">
      {message.content && <CopyButton text={message.content} label="Copy answer" className={SLIM} />}
      {branching && (
        <>
          {message.content && <ReadAloud message={message} branching={branching} />}
          <Regenerate message={message} branching={branching} />
          <IconLink
            to={branching.addressOf("again", message.id)}
            preventScrollReset
            label="Regenerate with another model"
            icon={<Shuffle />}
            className={SLIM}
          />
          <Variants message={message} branching={branching} />
          {(isAnswer || message.feedback) && <Rating message={message} branching={branching} />}
          {isAnswer && (
            <Post
              branching={branching}
              message={message}
              intent="branch"
              label="Branch from here"
              icon={<GitFork />}
            />
          )}
        </>
      )}
    </span>
  );
}

export function QuestionActions({ message }: { message: ChatMessage }) {
  const branching = useBranching(message);
  return (
    <span className="-mr-2 flex flex-wrap items-center justify-end text-muted print:hidden">
      <span className="flex transition-opacity pointer-fine:opacity-0 pointer-fine:group-focus-within:opacity-100 pointer-fine:group-hover:opacity-100">
        <CopyButton text={message.content} label="Copy message" className={SLIM} />
        {branching && (
          <IconLink
            to={branching.addressOf("edit", message.id)}
            preventScrollReset
            label="Edit message"
            icon={<Pencil />}
            className={SLIM}
          />
        )}
      </span>
      {branching && <Variants message={message} branching={branching} />}
    </span>
  );
}

const OUTCOMES = {
  answered: { icon: CircleCheck, colour: "text-success-ink", label: "Answered" },
  failed: { icon: CircleAlert, colour: "text-danger-ink", label: "Failed" },
  skipped: { icon: CircleSlash, colour: "text-muted", label: "Skipped" },
} as const;

interface RouteViewProps {
  route: RouteRecord;
  figures: ReactNode;
  metrics: NonNullable<ChatMessage["metrics"]>;
}

/** What of the prompt the provider kept, in words. */
function cacheOf({
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
}: RouteViewProps["metrics"]): string | undefined {
  const parts = [
    cacheReadTokens > 0 ? `${formatTokens(cacheReadTokens)} tokens read from the provider's cache` : "",
    cacheWriteTokens > 0 ? `${formatTokens(cacheWriteTokens)} tokens written to the provider's cache` : "",
  ];
  return parts.filter(Boolean).join(", ") || undefined;
}

function RouteView({ route, figures, metrics }: RouteViewProps) {
  const { firstTokenMs } = metrics;
  const cache = cacheOf(metrics);
  return (
    <details className="group/route min-w-0 flex-1 basis-48">
      <summary className="flex min-h-7 cursor-pointer items-center gap-x-2 rounded-sm px-1 py-1 text-muted hover:text-ink pointer-coarse:min-h-11">
        <span className="flex min-w-0 flex-wrap items-center gap-x-2">{figures}</span>
        <span className="inline-flex shrink-0 items-center print:hidden">
          <span className="sr-only">Routing details</span>
          <ChevronRight
            aria-hidden="true"
            className="size-3.5 shrink-0 transition-transform group-open/route:rotate-90"
          />
        </span>
      </summary>
      <div className="rounded-md border border-line bg-surface px-3 py-2">
        {route.reason && <p className="text-pretty">{route.reason}</p>}
        {firstTokenMs !== null && <p>First token after {formatDuration(firstTokenMs)}</p>}
        {cache && <p>{cache}</p>}
        {route.attempts.length > 0 && (
          <ol aria-label="Attempts" className="mt-1.5 divide-y divide-line border-line border-t">
            {route.attempts.map((attempt, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an attempt is identified by its position.
              <Attempt key={index} attempt={attempt} />
            ))}
          </ol>
        )}
      </div>
    </details>
  );
}

function Attempt({ attempt }: { attempt: RouteAttempt }) {
  const { icon: Icon, colour, label } = OUTCOMES[attempt.outcome];
  return (
    <li className="flex gap-2 py-1.5 last:pb-0">
      <Icon aria-hidden="true" className={`mt-px size-3.5 shrink-0 ${colour}`} />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          {attempt.provider} <span className="font-mono text-muted">{attempt.model}</span>
        </p>
        <p className="wrap-anywhere text-muted">
          {label}
          {attempt.reason ? `: ${attempt.reason}` : ""}
        </p>
        {attempt.said && (
          <p className="wrap-anywhere text-muted">
            The provider's words: <q>{toDisplayText(attempt.said)}</q>
          </p>
        )}
      </div>
      {attempt.outcome !== "skipped" && (
        <span className="shrink-0 text-muted tabular-nums">{formatDuration(attempt.durationMs)}</span>
      )}
    </li>
  );
}

interface Item {
  label: string;
  text: string;
}

function figuresOf({ model, metrics }: Pick<ChatMessage, "model" | "metrics">): Item[] {
  const items: Item[] = [];
  const by = [model, metrics?.provider].filter(Boolean).join(" · ");
  if (by) items.push({ label: "Model and provider", text: by });
  if (!metrics) return items;
  const { costMicros, durationMs, estimated, inputTokens, outputTokens } = metrics;
  const about = estimated ? "about " : "";
  if (durationMs !== null) items.push({ label: "Duration", text: formatDuration(durationMs) });
  if (inputTokens !== null && outputTokens !== null) {
    items.push({
      label: estimated ? "Tokens in → out, estimated: the provider reported none" : "Tokens in → out",
      text: `${about}${formatTokens(inputTokens)} → ${formatTokens(outputTokens)} tokens`,
    });
  }
  if (costMicros !== null)
    items.push({ label: "Cost", text: (costMicros > 0 ? about : "") + formatCost(costMicros) });
  return items;
}

function Figures({ items }: { items: readonly Item[] }) {
  return (
    <span data-figures="" className="wrap-anywhere min-w-0">
      {items.map(({ label, text }, index) => (
        <span key={label}>
          {index > 0 && " · "}
          <span title={label}>{text}</span>
        </span>
      ))}
    </span>
  );
}

export function AnswerFooter({ message, anchor }: { message: ChatMessage; anchor: string | undefined }) {
  const items = useMemo(() => figuresOf(message), [message]);
  const route = message.metrics?.route;
  return (
    <footer
      id={anchor}
      className="-ml-2 flex min-w-0 flex-wrap items-start gap-x-1 text-muted text-xs sm:flex-nowrap print:ml-0 scroll-mt-[35vh]"
    >
      <AnswerActions message={message} />
      {route && message.metrics ? (
        <RouteView route={route} metrics={message.metrics} figures={<Figures items={items} />} />
      ) : (
        <span className="min-w-0 px-1 py-1.5 pointer-coarse:py-3.5">
          <Figures items={items} />
        </span>
      )}
    </footer>
  );
}
