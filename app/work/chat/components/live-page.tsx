import type { ComponentProps, ReactNode } from "react";
import { withBase } from "~/core/base-path";
import { toDisplayText } from "~/core/well-formed";
import { HiddenFields } from "~/ui/input";
import { STREAMED_BUTTON, StreamedPage, type StreamedPageProps } from "~/ui/streamed-page";
import { canGoOn } from "../answer-state.shared";
import type { ChatMessage, Conversation } from "../chat.schema";
import { earlierPassages } from "../sources.shared";
import { ApprovalsProvider, SharingProvider } from "./conversation-provider";
import { MemoryProposals, type Proposal } from "./memory-proposals";
import { MessageView } from "./message-view";
import { SharingAllowed } from "./sharing";

interface LivePageProps extends Omit<StreamedPageProps, "title"> {
  conversation: Conversation;
  renderings: Readonly<Record<string, string>>;
  appName: string;
  asker: ComponentProps<typeof MessageView>["asker"];
}

/** The page before the answer, cut at `placeholder`: browsers without JavaScript show it as it arrives. */
export function LivePage({
  conversation,
  renderings,
  appName,
  asker,
  placeholder,
  ...page
}: LivePageProps & { placeholder: string }) {
  const earlier = conversation.messages.filter((message) => message.status !== "streaming");
  const passages = earlierPassages(earlier);
  return (
    <StreamedPage title={`${toDisplayText(conversation.title)} · ${appName}`} {...page}>
      <main className="mx-auto flex max-w-3xl flex-col gap-6 px-4 py-8">
        <header className="flex flex-wrap items-center justify-between gap-3">
          <div className="min-w-0">
            <h1 className="text-lg">AI Chat</h1>
            <p dir="auto" className="truncate text-muted text-sm">
              {toDisplayText(conversation.title)}
            </p>
          </div>
          <nav aria-label="Chat" className="flex gap-2">
            <a href={withBase(`/chat/${conversation.id}`)} className={STREAMED_BUTTON}>
              Back to the console
            </a>
            <a href={withBase("/chat")} className={STREAMED_BUTTON}>
              Clear Chat
            </a>
          </nav>
        </header>
        {earlier.map((message, index) => (
          <MessageView
            key={message.id}
            message={message}
            asker={asker}
            rendering={renderings[message.id]}
            earlier={passages[index]}
          />
        ))}
        <section aria-label="Answer" aria-live="polite" className="min-w-0">
          {placeholder}
        </section>
      </main>
    </StreamedPage>
  );
}

export function LiveRemark({ children }: { children: ReactNode }) {
  return <p className="text-muted text-xs">{children}</p>;
}

export function LiveStop({ conversationId }: { conversationId: string }) {
  return (
    <form
      method="post"
      action={withBase(`/chat/${conversationId}`)}
      className="live-only mb-3 flex items-center gap-3"
    >
      <LiveRemark>Writing…</LiveRemark>
      <button type="submit" name="intent" value="stop" className={STREAMED_BUTTON}>
        Stop
      </button>
    </form>
  );
}

/** Replaces the raw text with the rendered answer and the next form. */
export function LiveEnd({
  conversation,
  answer,
  rendering,
  proposals,
}: {
  conversation: Conversation;
  /** Its last message. */
  answer: ChatMessage | undefined;
  rendering: string | undefined;
  proposals: readonly Proposal[];
}) {
  const { settings, model } = conversation;
  return (
    <SharingProvider value={{ action: `/chat/${conversation.id}`, allowed: conversation.sharingAllowed }}>
      {answer && (
        <ApprovalsProvider value={{ action: `/chat/${conversation.id}` }}>
          <MessageView
            message={answer}
            rendering={rendering}
            earlier={earlierPassages(conversation.messages).at(-1)}
          />
        </ApprovalsProvider>
      )}
      <SharingAllowed />
      {proposals.length > 0 && <MemoryProposals proposals={proposals} conversation={conversation} />}
      <form id="regenerate" method="post" action={withBase(`/chat/${conversation.id}`)} />
      <form method="post" action={withBase(`/chat/${conversation.id}`)} className="mt-6 flex flex-col gap-2">
        <HiddenFields
          values={{
            model,
            persona: settings.personaId ?? "",
            maxSteps: String(settings.maxSteps),
            reasoningEffort: settings.reasoningEffort ?? "default",
            memory: settings.memory ? "on" : "off",
          }}
        />
        {(settings.tools ?? [])
          .filter((tool) => !settings.offered?.[tool])
          .map((tool) => (
            <input key={tool} type="hidden" name="tools" value={tool} />
          ))}
        <textarea
          name="content"
          aria-label="Message"
          placeholder="Ask AI anything..."
          rows={3}
          className="w-full rounded-md border border-edge bg-surface px-3 py-2 text-sm"
        />
        <div className="flex justify-end gap-2">
          {answer && canGoOn(answer) && (
            <button
              type="submit"
              form="regenerate"
              name="intent"
              value="continue"
              className={STREAMED_BUTTON}
            >
              Continue
            </button>
          )}
          <button
            type="submit"
            form="regenerate"
            name="intent"
            value="regenerate"
            className={STREAMED_BUTTON}
          >
            Regenerate
          </button>
          <button type="submit" name="intent" value="send" className={STREAMED_BUTTON}>
            Send
          </button>
        </div>
      </form>
    </SharingProvider>
  );
}
