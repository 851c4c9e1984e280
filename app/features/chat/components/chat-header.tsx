import { Form } from "@remix-run/react";
import {
  Archive,
  ArchiveRestore,
  Columns3,
  Ellipsis,
  Eraser,
  Pencil,
  Pin,
  PinOff,
  Trash2,
} from "lucide-react";
import { Button, LinkButton } from "~/ui/button";
import { Input } from "~/ui/input";
import { Menu, MenuSubmit } from "~/ui/menu";
import type { ConversationSummary } from "../chat.schema";
import { shownText } from "../shown-text.shared";
import { ConversationTransferLinks } from "./transfer-links";

type Headed = Pick<ConversationSummary, "id" | "title" | "pinned" | "archived">;

interface ChatHeaderProps {
  conversation: Headed | undefined;
  disabled: boolean;
  onClear: () => void;
}

const SQUARE =
  "grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11 [&_svg]:size-4";
const LIST = "/chat/all";

function Rename({ id, title }: Headed) {
  return (
    // Closes when the title has changed.
    <details key={title} className="group static shrink-0 print:hidden">
      <summary aria-label="Rename conversation" className={SQUARE}>
        <Pencil aria-hidden="true" />
      </summary>
      <Form
        method="post"
        action={`${LIST}?dialog=rename&id=${id}`}
        preventScrollReset
        className="enter absolute inset-x-2 top-full mt-1 flex max-w-lg items-center gap-2 rounded-lg bg-raised p-2 shadow-float"
      >
        <input type="hidden" name="id" value={id} />
        <input type="hidden" name="returnTo" value={`/chat/${id}`} />
        <Input
          name="title"
          aria-label="Title"
          defaultValue={title}
          maxLength={200}
          required
          autoComplete="off"
        />
        <Button name="intent" value="rename" variant="primary">
          Rename
        </Button>
      </Form>
    </details>
  );
}

function Actions({ id, pinned, archived }: Headed) {
  const submit = (intent: string, returnTo = `/chat/${id}`) => ({
    action: LIST,
    values: { intent, ids: id, returnTo },
  });
  return (
    <Menu
      label="More actions for this conversation"
      button={<Ellipsis aria-hidden="true" />}
      buttonClassName={SQUARE}
    >
      <MenuSubmit icon={pinned ? <PinOff /> : <Pin />} {...submit(pinned ? "unpin" : "pin")}>
        {pinned ? "Unpin" : "Pin"}
      </MenuSubmit>
      <MenuSubmit
        icon={archived ? <ArchiveRestore /> : <Archive />}
        {...submit(archived ? "unarchive" : "archive")}
      >
        {archived ? "Unarchive" : "Archive"}
      </MenuSubmit>
      <ConversationTransferLinks id={id} />
      <MenuSubmit icon={<Trash2 />} {...submit("delete", "/chat")}>
        Delete
      </MenuSubmit>
    </Menu>
  );
}

export function ChatHeader({ conversation, disabled, onClear }: ChatHeaderProps) {
  return (
    <header className="z-20 flex min-h-12 items-center gap-1 border-line border-b bg-canvas px-4 md:px-6 [@media(min-height:40rem)]:sticky [@media(min-height:40rem)]:top-15 print:border-0">
      <h1 dir="auto" className="min-w-0 truncate text-start text-sm">
        {conversation ? shownText(conversation.title) : "AI Chat"}
      </h1>
      {conversation && !disabled && <Rename {...conversation} />}
      {!disabled && (
        <div className="ml-auto flex shrink-0 items-center print:hidden">
          <LinkButton to="/compare" size="sm" variant="ghost" icon={<Columns3 />}>
            <span className="max-sm:sr-only">Compare Models</span>
          </LinkButton>
          <LinkButton to="/chat" size="sm" variant="ghost" icon={<Eraser />} onClick={onClear}>
            <span className="max-sm:sr-only">Clear Chat</span>
          </LinkButton>
          {conversation && <Actions {...conversation} />}
        </div>
      )}
    </header>
  );
}
