import { Link, useNavigate } from "@remix-run/react";
import { Columns3, MessageSquare, RotateCcw, SendHorizontal, Square } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import { Button, IconButton, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { FieldError } from "~/ui/field";
import { Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { PageHeader } from "~/ui/page-header";
import { ScrollRegion } from "~/ui/scroll-region";
import { RelativeTime } from "~/ui/time";
import { useHydrated } from "~/ui/use-hydrated";
import type {
  ChatChoices,
  ChatMessage,
  ChatOptions,
  Conversation,
  ConversationSummary,
} from "../chat.schema";
import { shownText } from "../shown-text.schema";
import { earlierPassages } from "../sources.schema";
import { ChatSettings } from "./chat-settings";
import { MessageView } from "./message-view";
import { SharingAllowed, SharingProvider } from "./sharing";
import { useAnswer } from "./use-answer";
import { useChatOptions } from "./use-chat-options";
import { useSharing } from "./use-sharing";

interface Props {
  choices: ChatChoices;
  defaults: ChatOptions;
  sessionModel: string | undefined;
  conversation: Conversation | undefined;
  /** The Markdown of its messages, by their ids. */
  renderings: Readonly<Record<string, string>>;
  recent: ConversationSummary[];
  /** Why this person can't chat; absent when they can. */
  refusal: string | undefined;
  /** The conversation's model where it can't be chosen any more. */
  goneModel: string | undefined;
  /** What was typed when the server refused the form, or took over a persona without sending it. */
  draft: { content: string; error: string | undefined } | undefined;
}

const FORM = "chat-form";

/** Keeps the end in view while an answer grows, unless the reader has scrolled away from it. */
function useStickToEnd(messages: readonly ChatMessage[]) {
  const panel = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  useEffect(() => {
    const element = panel.current;
    if (element && stuck.current && messages.length > 0) element.scrollTop = element.scrollHeight;
  }, [messages]);
  const onScroll = () => {
    const element = panel.current;
    if (element) stuck.current = element.scrollHeight - element.scrollTop - element.clientHeight < 48;
  };
  return { panel, onScroll };
}

/** The AI Chat screen: a plain form whose answer streams as HTML, or with script in place. */
export function ChatScreen(props: Props) {
  const { choices, defaults, sessionModel, conversation, renderings, recent, refusal, goneModel, draft } =
    props;
  const navigate = useNavigate();
  const hydrated = useHydrated();
  const { options, version, change, name } = useChatOptions({
    conversationId: conversation?.id,
    defaults,
    sessionModel,
    choices,
  });
  const onNamed = useCallback(
    (id: string) => {
      name(id);
      navigate(`/chat/${id}`, { replace: true, preventScrollReset: true });
    },
    [navigate, name],
  );
  const [content, setContent] = useState(draft?.content ?? "");
  // What was typed meanwhile stands first: it is the newer.
  const onUnsent = useCallback((text: string) => setContent((typed) => typed || text), []);
  const chat = useAnswer({ conversation, onNamed, onUnsent });
  const sharing = useSharing(chat.conversationId, conversation?.sharingAllowed ?? false);
  const { panel, onScroll } = useStickToEnd(chat.messages);
  const input = useRef<HTMLTextAreaElement>(null);
  const disabled = refusal !== undefined;
  const live = conversation?.messages.at(-1)?.status === "streaming";
  const last = chat.messages.at(-1);
  const earlier = earlierPassages(chat.messages);
  const canRegenerate =
    last?.role === "assistant" &&
    // The server knows nothing of a message that it refused.
    !last.id.startsWith("local-") &&
    !chat.loading &&
    !disabled &&
    chat.conversationId !== undefined;

  const answerOptions = {
    model: options.model || undefined,
    persona: options.persona || undefined,
    maxSteps: options.maxSteps,
    tools: options.tools,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const text = content.trim();
    if (text === "" || chat.loading || disabled) return;
    setContent("");
    void chat.send(text, answerOptions);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit(event);
  };

  const regenerate = (
    <form
      method="post"
      action={`/chat/${chat.conversationId}`}
      onSubmit={(event) => {
        event.preventDefault();
        void chat.regenerate(answerOptions);
      }}
    >
      <IconButton name="intent" value="regenerate" label="Regenerate" icon={<RotateCcw />} />
    </form>
  );

  return (
    <SharingProvider value={sharing}>
      <PageHeader
        title="AI Chat"
        subtitle="Ask models that can call tools; answers stream in as they are written"
        actions={
          <>
            {!disabled && (
              <LinkButton to="/compare" icon={<Columns3 />}>
                Compare models
              </LinkButton>
            )}
            <LinkButton to="/chat" icon={<MessageSquare />} onClick={chat.reset}>
              Clear Chat
            </LinkButton>
          </>
        }
      />
      {refusal && (
        <Notice kind="info" className="mb-4">
          {refusal}
        </Notice>
      )}
      {goneModel && !disabled && (
        <Notice kind="warning" className="mb-4" title="Model not available">
          This conversation's model, {goneModel}, isn't available any more. {defaults.model} is selected
          instead; you can select another one under Settings.
        </Notice>
      )}
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <section
            aria-label="Conversation"
            className="flex flex-col rounded-lg border border-line bg-surface shadow-card"
          >
            <ScrollRegion
              scrollRef={panel}
              onScroll={onScroll}
              role="log"
              label="Messages"
              className="max-h-[max(24rem,calc(100dvh-22rem))] min-h-64 space-y-6 overflow-y-auto p-4"
            >
              {chat.messages.length === 0 ? (
                <EmptyState
                  icon={<MessageSquare />}
                  title="Nothing asked yet"
                  description="Ask a question below. The model may use the tools you leave ticked."
                />
              ) : (
                chat.messages.map((message, index) => (
                  <MessageView
                    key={message.id}
                    message={message}
                    rendering={renderings[message.id]}
                    earlier={earlier[index]}
                    actions={message === last && canRegenerate ? regenerate : undefined}
                  />
                ))
              )}
            </ScrollRegion>
            <div className="px-3 pb-3 empty:hidden">
              <SharingAllowed />
            </div>
            {live && !hydrated && conversation && (
              <p className="border-line border-t px-4 py-2 text-sm">
                <a href={`/chat/${conversation.id}/live`} className="text-primary-ink underline">
                  Watch the answer being written
                </a>
              </p>
            )}
            <form
              id={FORM}
              method="post"
              action={`/chat${chat.conversationId ? `/${chat.conversationId}` : ""}`}
              onSubmit={submit}
              className="flex flex-col gap-2 border-line border-t p-3"
            >
              <Textarea
                ref={input}
                name="content"
                aria-label="Message"
                placeholder="Ask AI anything..."
                rows={3}
                value={content}
                disabled={disabled}
                aria-invalid={draft?.error !== undefined || undefined}
                onChange={(event) => setContent(event.target.value)}
                onKeyDown={onKeyDown}
              />
              {draft?.error && <FieldError>{draft.error}</FieldError>}
              <div className="flex items-center justify-end gap-3">
                <span className="scripted:inline hidden text-muted text-xs">
                  <kbd>Ctrl</kbd> or <kbd>Cmd</kbd> + <kbd>Enter</kbd> sends
                </span>
                {chat.loading || (live && !hydrated) ? (
                  <Button
                    name="intent"
                    value="stop"
                    icon={<Square />}
                    formNoValidate
                    onClick={(event) => {
                      event.preventDefault();
                      void chat.stop();
                    }}
                  >
                    Stop
                  </Button>
                ) : (
                  <Button
                    name="intent"
                    value="send"
                    variant="primary"
                    icon={<SendHorizontal />}
                    disabled={disabled || (hydrated && content.trim() === "")}
                  >
                    Send
                  </Button>
                )}
              </div>
            </form>
          </section>
          {recent.length > 0 && (
            <Card title="Recent conversations">
              <ul className="-mx-2 -my-1">
                {recent.map((item) => (
                  <li key={item.id}>
                    <Link
                      to={`/chat/${item.id}`}
                      aria-current={item.id === chat.conversationId ? "page" : undefined}
                      className="flex min-h-9 items-center gap-3 rounded-md px-2 text-sm hover:bg-hover aria-[current]:bg-active"
                    >
                      <span dir="auto" className="min-w-0 flex-1 truncate text-start">
                        {shownText(item.title)}
                      </span>
                      <span className="shrink-0 text-muted text-xs">
                        <RelativeTime at={item.updatedAt} style="short" />
                      </span>
                    </Link>
                  </li>
                ))}
              </ul>
            </Card>
          )}
        </div>
        <ChatSettings
          formId={FORM}
          choices={choices}
          options={options}
          version={version}
          onChange={change}
          messageCount={chat.messages.length}
          disabled={disabled}
        />
      </div>
    </SharingProvider>
  );
}
