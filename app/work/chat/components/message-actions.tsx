import { Form } from "@remix-run/react";
import {
  ChevronRight,
  Columns2,
  GitFork,
  MessageSquareMore,
  Pencil,
  RotateCcw,
  Shuffle,
  ThumbsDown,
  ThumbsUp,
} from "lucide-react";
import type { ReactNode } from "react";
import { IconButton, IconLink } from "~/ui/button";
import { CopyButton } from "~/ui/copy-button";
import { useHydrated } from "~/ui/hydration";
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
  /** Id of the message to post; defaults to `message`. */
  target?: string | undefined;
  fields?: Record<string, string>;
  pressed?: boolean;
  disabled?: boolean;
}

function Post({ branching, message, intent, label, icon, target, fields, pressed, disabled }: PostProps) {
  return (
    <Form method="post" action={branching.action} preventScrollReset className="inline-flex">
      <input type="hidden" name="messageId" value={target ?? message.id} />
      {Object.entries(fields ?? {}).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
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
      action={branching.action}
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

export function AnswerActions({ message }: { message: ChatMessage }) {
  const branching = useBranching(message);
  return (
    <span className="flex flex-wrap items-center sm:shrink-0 print:hidden">
      {message.content && <CopyButton text={message.content} label="Copy answer" className={SLIM} />}
      {branching && (
        <>
          <Regenerate message={message} branching={branching} />
          <IconLink
            to={branching.addressOf("again", message.id)}
            preventScrollReset
            label="Regenerate with another model"
            icon={<Shuffle />}
            className={SLIM}
          />
          <Variants message={message} branching={branching} />
          <Rating message={message} branching={branching} />
          <Post
            branching={branching}
            message={message}
            intent="branch"
            label="Branch from here"
            icon={<GitFork />}
          />
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
