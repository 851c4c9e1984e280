import { Columns3, Eraser } from "lucide-react";
import { LinkButton } from "~/ui/button";
import { shownText } from "../shown-text.schema";

interface ChatHeaderProps {
  /** The open conversation's; none before the first message. */
  title: string | undefined;
  disabled: boolean;
  /** Called as Clear Chat is followed. */
  onClear: () => void;
}

/** The chat's title with what can be done beside a conversation, in one line below the console's header. */
export function ChatHeader({ title, disabled, onClear }: ChatHeaderProps) {
  return (
    <header className="z-20 flex min-h-12 items-center gap-2 border-line border-b bg-canvas px-4 md:px-6 [@media(min-height:40rem)]:sticky [@media(min-height:40rem)]:top-15 print:border-0">
      <h1 dir="auto" className="min-w-0 flex-1 truncate text-start text-sm">
        {title === undefined ? "AI Chat" : shownText(title)}
      </h1>
      {!disabled && (
        <div className="flex shrink-0 items-center print:hidden">
          <LinkButton to="/compare" size="sm" variant="ghost" icon={<Columns3 />}>
            <span className="max-sm:sr-only">Compare Models</span>
          </LinkButton>
          <LinkButton to="/chat" size="sm" variant="ghost" icon={<Eraser />} onClick={onClear}>
            <span className="max-sm:sr-only">Clear Chat</span>
          </LinkButton>
        </div>
      )}
    </header>
  );
}
