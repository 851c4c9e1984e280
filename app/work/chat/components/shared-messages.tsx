import { EyeOff, Paperclip } from "lucide-react";
import type { ReactNode } from "react";
import { toDisplayText } from "~/core/well-formed";
import { RelativeTime } from "~/ui/time";
import type { ChatMessage } from "../chat.schema";
import { MessageView } from "./message-view";

interface SharedMessageItem {
  message: ChatMessage;
  omitted: boolean;
  attachmentsOmitted: number;
}

interface SharedMessagesProps {
  messages: readonly SharedMessageItem[];
  renderings: Readonly<Record<string, string>>;
  asker: string;
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className="flex items-start gap-1.5 text-muted text-sm [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0">
      {icon}
      <span>{children}</span>
    </p>
  );
}

export function SharedMessages({ messages, renderings, asker }: SharedMessagesProps) {
  return (
    <ol className="flex flex-col gap-6">
      {messages.map(({ message, omitted, attachmentsOmitted }) => (
        <li key={message.id} className="min-w-0">
          <p className="mb-1 text-muted text-xs">
            {message.role === "user" ? <bdi>{toDisplayText(asker)}</bdi> : "Assistant"}
            {message.persona && (
              <>
                {" as "}
                <bdi>{toDisplayText(message.persona)}</bdi>
              </>
            )}
            {" · "}
            <RelativeTime at={message.timestamp} style="short" />
          </p>
          {omitted ? (
            <Line icon={<EyeOff aria-hidden="true" />}>
              Hidden because it may quote documents that you can't see.
            </Line>
          ) : (
            <MessageView message={message} rendering={renderings[message.id]} untitled />
          )}
          {attachmentsOmitted > 0 && (
            <Line icon={<Paperclip aria-hidden="true" />}>
              {attachmentsOmitted === 1 ? "1 attachment isn't" : `${attachmentsOmitted} attachments aren't`}{" "}
              shared.
            </Line>
          )}
        </li>
      ))}
    </ol>
  );
}
