import { Columns3, Eraser, MessageSquare, RotateCcw } from "lucide-react";
import { type FormEvent, type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import { OFFLINE_MODEL } from "~/features/models/offline-model.schema";
import { IconButton, LinkButton } from "~/ui/button";
import { Notice } from "~/ui/notice";
import { PageHeader } from "~/ui/page-header";
import { useHydrated } from "~/ui/use-hydrated";
import type {
  Asker,
  ChatChoices,
  ChatMessage,
  ChatOptions,
  Conversation,
  ConversationSummary,
  Starter,
} from "../chat.schema";
import { earlierPassages, sourcesOf } from "../sources.schema";
import { ApprovalsProvider, ApprovedTools, type RefusedCall } from "./approvals";
import { ChatSettings } from "./chat-settings";
import { Composer } from "./composer";
import { preloadMarkdown } from "./markdown";
import { MessagePanel } from "./message-panel";
import { MessageView } from "./message-view";
import { RecentConversations } from "./recent-conversations";
import { SharingAllowed, SharingProvider } from "./sharing";
import { Starters } from "./starters";
import { useAnswer } from "./use-answer";
import type { ChosenOptions } from "./use-chat-options";
import { useDraft } from "./use-draft";
import { useSharing } from "./use-sharing";
import { useTypeset } from "./use-typeset";

interface Props {
  choices: ChatChoices;
  chosen: ChosenOptions;
  /** The model that is selected where the conversation's is gone. */
  defaults: ChatOptions;
  conversation: Conversation | undefined;
  /** The Markdown of its messages, by their ids. */
  renderings: Readonly<Record<string, string>>;
  recent: ConversationSummary[];
  starters: Starter[];
  asker: Asker;
  enterSends: boolean;
  /** Why this person can't chat; absent when they can. */
  refusal: string | undefined;
  /** The conversation's model where it can't be chosen any more. */
  goneModel: string | undefined;
  /** What was typed when the server refused the form, or took over a persona without sending it. */
  draft: { content: string; error: string | undefined } | undefined;
  /** The approval that the server refused. */
  refusedCall: RefusedCall | undefined;
  /** Takes files that were pasted. */
  onFiles: (files: File[]) => void;
  /** Shown above the field for the next message. */
  children?: ReactNode;
}

const FORM = "chat-form";

/** Whether the built-in model had nothing to say: to a greeting, or of an empty collection. */
function isLost({ role, status, model, parts }: ChatMessage): boolean {
  if (role !== "assistant" || status !== "complete" || model !== OFFLINE_MODEL) return false;
  const others = parts.some((part) => part.type === "tool" && part.toolName !== "qdrant.search");
  return !others && !sourcesOf(parts, undefined).list.some(({ cited }) => cited);
}

/** The panel's content before the first message, with starters. */
function Empty({ disabled, children }: { disabled: boolean; children: ReactNode }) {
  return (
    <div className="flex flex-col items-center py-4 text-center sm:py-10">
      <MessageSquare aria-hidden="true" className="mb-3 size-6 text-muted" />
      <h2 className="text-md">{disabled ? "No conversation" : "Start a conversation"}</h2>
      {!disabled && (
        <p className="mt-1 mb-5 max-w-md text-pretty text-muted">
          Ask anything. The model can use the selected tools.
        </p>
      )}
      {!disabled && children}
    </div>
  );
}

/** The AI Chat screen: a plain form whose answer streams as HTML, or with script in place. */
export function ChatScreen(props: Props) {
  const { choices, chosen, conversation, renderings, refusal, goneModel, draft, asker } = props;
  const { options, name } = chosen;
  const hydrated = useHydrated();
  const input = useRef<HTMLTextAreaElement>(null);
  const section = useRef<HTMLElement>(null);
  const [sent, setSent] = useState(0);
  const hooks = useRef<{ rename: (id: string) => void; restore: (text: string) => void }>();
  const onNamed = useCallback(
    (id: string) => {
      hooks.current?.rename(id);
      name(id);
    },
    [name],
  );
  const onUnsent = useCallback((text: string) => hooks.current?.restore(text), []);
  const chat = useAnswer({ conversation, onNamed, onUnsent });
  useTypeset(chat.messages, renderings);
  const written = useDraft({
    person: asker.id,
    conversationId: chat.conversationId,
    returned: draft?.content,
    input,
  });
  hooks.current = written;
  const sharing = useSharing(chat.conversationId, conversation?.sharingAllowed ?? false);
  const disabled = refusal !== undefined;
  const live = conversation?.messages.at(-1)?.status === "streaming";
  const last = chat.messages.at(-1);
  const earlier = useMemo(() => earlierPassages(chat.messages), [chat.messages]);
  const action = `/chat${chat.conversationId ? `/${chat.conversationId}` : ""}`;
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
  const ask = (text: string) => {
    if (text === "" || chat.loading || disabled) return false;
    preloadMarkdown();
    setSent((count) => count + 1);
    void chat.send(text, answerOptions);
    // Where the window is too low for all of it, its end is what counts now.
    const bottom = section.current?.getBoundingClientRect().bottom ?? 0;
    if (bottom > window.innerHeight) section.current?.scrollIntoView({ block: "end" });
    return true;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ask(written.content.trim())) return;
    written.change("");
    input.current?.focus({ preventScroll: true });
  };

  const regenerate = (
    <form
      method="post"
      action={`/chat/${chat.conversationId}`}
      onSubmit={(event) => {
        event.preventDefault();
        preloadMarkdown();
        setSent((count) => count + 1);
        void chat.regenerate(answerOptions);
      }}
    >
      <IconButton name="intent" value="regenerate" label="Regenerate" icon={<RotateCcw />} />
    </form>
  );
  const starters = { action, starters: props.starters, options, onAsk: ask };

  return (
    <SharingProvider value={sharing}>
      <ApprovalsProvider value={{ action, decide: chat.decide, refused: props.refusedCall }}>
        <PageHeader
          title="AI Chat"
          subtitle={<span className="max-md:hidden">Chat with any model and let it use your tools</span>}
          actions={
            !disabled && (
              <div className="flex flex-wrap gap-2 print:hidden">
                <LinkButton to="/compare" icon={<Columns3 />}>
                  Compare Models
                </LinkButton>
                <LinkButton to="/chat" icon={<Eraser />} onClick={chat.reset}>
                  Clear Chat
                </LinkButton>
              </div>
            )
          }
        />
        {refusal && (
          <Notice kind="info" className="mb-4">
            {refusal}
          </Notice>
        )}
        {goneModel && !disabled && (
          <Notice kind="warning" className="mb-4" title="Model not available">
            {goneModel}, this conversation's model, isn't available any more. {props.defaults.model} is
            selected instead; you can select another one under Settings.
          </Notice>
        )}
        <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] print:block">
          <div className="flex min-w-0 flex-col gap-4">
            <section
              ref={section}
              aria-label="Conversation"
              className="flex flex-col rounded-lg border border-line bg-surface shadow-card print:border-0 print:shadow-none"
            >
              <MessagePanel
                content={chat.messages}
                showEnd={`${conversation?.id} ${sent}`}
                empty={chat.messages.length === 0}
              >
                {chat.messages.length === 0 ? (
                  <Empty disabled={disabled}>
                    <Starters
                      {...starters}
                      personas={choices.personas}
                      onPersona={(persona) => {
                        chosen.change({ persona });
                        input.current?.focus();
                      }}
                    />
                  </Empty>
                ) : (
                  chat.messages.map((message, index) => (
                    <MessageView
                      key={message.id}
                      message={message}
                      asker={asker}
                      rendering={renderings[message.id]}
                      earlier={earlier[index]}
                      actions={message === last && canRegenerate ? regenerate : undefined}
                    />
                  ))
                )}
                {last && isLost(last) && !chat.loading && !disabled && <Starters {...starters} />}
              </MessagePanel>
              <div className="px-3 pb-3 empty:hidden print:hidden">
                <SharingAllowed />
                <ApprovedTools tools={conversation?.approvedTools ?? []} />
              </div>
              {live && !hydrated && conversation && (
                <p className="border-line border-t px-4 py-2 text-sm print:hidden">
                  <a href={`/chat/${conversation.id}/live`} className="text-primary-ink underline">
                    Watch the answer live
                  </a>
                </p>
              )}
              {!disabled && (
                <Composer
                  ref={input}
                  formId={FORM}
                  action={action}
                  content={written.content}
                  onContent={written.change}
                  onSend={submit}
                  onStop={() => void chat.stop()}
                  onFiles={props.onFiles}
                  running={chat.loading || (live && !hydrated)}
                  enterSends={props.enterSends}
                  error={draft?.error}
                >
                  {props.children}
                </Composer>
              )}
            </section>
            <RecentConversations recent={props.recent} open={chat.conversationId} />
          </div>
          <ChatSettings
            formId={FORM}
            choices={choices}
            chosen={chosen}
            messageCount={chat.messages.length}
            disabled={disabled}
          />
        </div>
      </ApprovalsProvider>
    </SharingProvider>
  );
}
