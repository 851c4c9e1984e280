import { Link } from "@remix-run/react";
import { Columns3, Eraser, MessageSquareDashed } from "lucide-react";
import type { MouseEvent, ReactNode } from "react";
import { toDisplayText } from "~/core/well-formed";
import { LinkButton } from "~/ui/button";
import { lazyPart } from "~/ui/lazy-part";
import { showToast } from "~/ui/toast-store";
import { Tooltip } from "~/ui/tooltip";
import type { ConversationHeading } from "./conversation-actions";

const RENAME_BUTTON = '[aria-label="Rename conversation"]';
const loadActions = () => import("./conversation-actions");
const rename = lazyPart(() => loadActions().then((module) => module.RenameConversation), RENAME_BUTTON);
const actions = lazyPart(() => loadActions().then((module) => module.ConversationActions), RENAME_BUTTON);

const Slash = () => (
  <span aria-hidden="true" className="px-1 text-muted max-sm:hidden">
    /
  </span>
);

interface ChatHeaderProps {
  conversation: ConversationHeading | undefined;
  project: { id: string; name: string } | undefined;
  disabled: boolean;
  /** Whether temporary chats are allowed. */
  temporary: boolean;
  /** Also of a conversation that has just begun and isn't loaded yet. */
  isStored: boolean;
  onClear: () => void;
}

export function ChatBar({ children }: { children: ReactNode }) {
  return (
    <header className="z-20 flex min-h-9 items-center gap-1 border-line border-b bg-canvas px-4 md:px-6 [@media(min-height:40rem)]:sticky [@media(min-height:40rem)]:top-(--header) print:static! print:border-0 print:bg-transparent print:px-0">
      {children}
    </header>
  );
}

const KEPT = "Starts a new chat. This one stays in your list.";
const CLEARED = {
  kind: "info",
  title: "Chat cleared",
  description: "The conversation stays in your list.",
} as const;

interface ClearChatProps {
  to: string;
  hint: string;
  onClear: (event: MouseEvent) => void;
}

export function ClearChat({ to, hint, onClear }: ClearChatProps) {
  return (
    <Tooltip text={hint}>
      <LinkButton to={to} size="sm" variant="ghost" icon={<Eraser />} onClick={onClear}>
        <span className="max-sm:sr-only">Clear Chat</span>
      </LinkButton>
    </Tooltip>
  );
}

export function ChatHeader({
  conversation,
  project,
  disabled,
  temporary,
  isStored,
  onClear,
}: ChatHeaderProps) {
  return (
    <ChatBar>
      <h1 className={conversation ? "shrink-0 text-muted text-sm max-sm:sr-only" : "text-sm"}>AI Chat</h1>
      {project && (
        <>
          <Slash />
          <Link
            to={`/chat/projects/${project.id}`}
            className="truncate text-primary-ink text-sm underline-offset-4 hover:underline"
          >
            {toDisplayText(project.name)}
          </Link>
        </>
      )}
      {conversation && (
        <>
          <Slash />
          <h2 dir="auto" className="min-w-0 truncate text-start text-sm">
            {toDisplayText(conversation.title)}
          </h2>
        </>
      )}
      {conversation && !disabled && <rename.Part {...conversation} />}
      {!disabled && (
        <div className="ml-auto flex shrink-0 items-center print:hidden">
          {temporary && !conversation && (
            <LinkButton to="/chat/temporary" size="sm" variant="ghost" icon={<MessageSquareDashed />}>
              <span className="max-sm:sr-only">Temporary Chat</span>
            </LinkButton>
          )}
          <LinkButton to="/compare" size="sm" variant="ghost" icon={<Columns3 />}>
            <span className="max-sm:sr-only">Compare Models</span>
          </LinkButton>
          <ClearChat
            to="/chat"
            hint={KEPT}
            onClear={() => {
              onClear();
              if (isStored) showToast(CLEARED);
            }}
          />
          {conversation && <actions.Part {...conversation} />}
        </div>
      )}
    </ChatBar>
  );
}
