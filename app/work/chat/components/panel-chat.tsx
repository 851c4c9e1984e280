import { type FormEvent, useEffect, useRef, useState } from "react";
import type { Asker, ChatOptions } from "../chat-choices.shared";
import { Composer } from "./composer";
import { preloadMarkdown } from "./markdown-reader";
import { MessagePanel } from "./message-panel";
import { MessageView } from "./message-view";
import { SharingProvider } from "./sharing-context";
import { useAnswer } from "./use-answer";
import { useSharing } from "./use-sharing";

interface PanelChatProps {
  first: string;
  options: Pick<ChatOptions, "model" | "maxSteps" | "tools" | "offeredTools">;
  asker: Asker;
  enterSends: boolean;
  onCreated: (conversationId: string) => void;
}

/** A streamed conversation in another screen, loaded with the first question. */
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
      void fetch(`/api/ai/conversations/${createdId.current}`).catch(() => undefined);
    },
  });
  const sharing = useSharing(chat.conversationId, false);
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
        <MessagePanel content={chat.messages} sent={sent} empty={chat.messages.length === 0}>
          {chat.messages.map((message) => (
            <MessageView
              key={message.id}
              message={message}
              asker={asker}
              rendering={undefined}
              earlier={undefined}
            />
          ))}
        </MessagePanel>
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
      </section>
    </SharingProvider>
  );
}
