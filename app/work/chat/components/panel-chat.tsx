import { type FormEvent, useEffect, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { ScrollRegion } from "~/ui/scroll-region";
import type { Asker, ChatOptions } from "../chat-choices.shared";
import { Composer } from "./composer";
import { SharingProvider, useSharing } from "./conversation-provider";
import { JumpToLatest, useFollowEnd } from "./follow-end";
import { preloadMarkdown } from "./markdown-reader";
import { MessageView } from "./message-view";
import { useAnswer } from "./use-answer";

interface PanelChatProps {
  first: string;
  options: Pick<ChatOptions, "model" | "maxSteps" | "tools" | "offeredTools">;
  asker: Asker;
  enterSends: boolean;
  onCreated: (conversationId: string) => void;
}

export default function PanelChat({ first, options, asker, enterSends, onCreated }: PanelChatProps) {
  const [content, setContent] = useState("");
  const [sent, setSent] = useState(0);
  const input = useRef<HTMLTextAreaElement>(null);
  const createdId = useRef<string>();
  const chat = useAnswer({
    conversation: undefined,
    onCreated: (id) => {
      createdId.current = id;
      onCreated(id);
    },
    onUnsent: setContent,
    onEnded: () => {
      // Opening the conversation marks it as read. Without a connection it stays unread.
      void fetch(withBase(`/api/ai/conversations/${createdId.current}`)).catch(() => undefined);
    },
  });
  const sharing = useSharing(chat.conversationId, false);
  const region = useRef<HTMLDivElement>(null);
  const { messages } = chat;
  const isEmpty = messages.length === 0;
  const end = useFollowEnd({ region, content: messages, opened: undefined, sent, empty: isEmpty });
  const ask = (text: string) => {
    preloadMarkdown();
    setSent((count) => count + 1);
    void chat.send(text, options);
  };
  const begin = useRef<() => void>();
  begin.current = () => ask(first);
  useEffect(() => {
    begin.current?.();
    input.current?.focus({ preventScroll: true });
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const text = content.trim();
    if (text === "" || chat.loading) return;
    setContent("");
    ask(text);
  };
  return (
    <SharingProvider value={sharing}>
      <section aria-label="Conversation" className="-m-4">
        <ScrollRegion
          scrollRef={region}
          role="log"
          label="Messages"
          className="max-h-96 min-h-64 space-y-6 overflow-y-auto p-4 print:max-h-none print:overflow-visible print:p-0"
        >
          {messages.map((message) => (
            <MessageView key={message.id} message={message} asker={asker} />
          ))}
        </ScrollRegion>
        <div className="relative">
          <JumpToLatest end={end} onJump={() => region.current?.focus({ preventScroll: true })} />
        </div>
        <div className="border-line border-t p-2">
          <Composer
            ref={input}
            formId="panel-chat"
            action={`/chat${chat.conversationId ? `/${chat.conversationId}` : ""}`}
            content={content}
            onContent={setContent}
            onSend={submit}
            onStop={() => void chat.stop()}
            running={chat.loading}
            enterSends={enterSends}
            error={undefined}
          />
        </div>
      </section>
    </SharingProvider>
  );
}
