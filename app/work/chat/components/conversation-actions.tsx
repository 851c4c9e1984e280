import { Form } from "@remix-run/react";
import {
  Archive,
  ArchiveRestore,
  Ellipsis,
  FileCode,
  FileJson,
  FileText,
  FolderInput,
  Pencil,
  Pin,
  PinOff,
  Trash2,
  Workflow,
} from "lucide-react";
import { Button } from "~/ui/button";
import { Input } from "~/ui/input";
import { Menu, MenuLink, MenuSubmit } from "~/ui/menu";
import type { ConversationSummary } from "../chat.schema";
import { ShareItem } from "./share-item";

export type ConversationHeading = Pick<ConversationSummary, "id" | "title" | "pinned" | "archived">;

const SQUARE =
  "grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11 [&_svg]:size-4";
const LIST = "/chat/all";

/** Closes a `details` and returns focus to its summary. */
function closeDetails(box: Element | null): void {
  if (!(box instanceof HTMLDetailsElement)) return;
  box.querySelector("summary")?.focus({ preventScroll: true });
  box.open = false;
}

export function RenameConversation({ id, title }: ConversationHeading) {
  return (
    <details
      className="group static shrink-0 print:hidden"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) currentTarget.querySelector<HTMLInputElement>("[name=title]")?.select();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !event.currentTarget.open) return;
        event.preventDefault();
        closeDetails(event.currentTarget);
      }}
    >
      <summary aria-label="Rename conversation" className={SQUARE}>
        <Pencil aria-hidden="true" />
      </summary>
      <Form
        method="post"
        action={`${LIST}?dialog=rename&id=${id}`}
        preventScrollReset
        onSubmit={({ currentTarget }) => closeDetails(currentTarget.parentElement)}
        className="enter absolute inset-x-2 top-full mt-1 flex max-w-lg items-center gap-2 rounded-lg bg-raised p-2 shadow-float"
      >
        <input type="hidden" name="id" value={id} />
        <input type="hidden" name="returnTo" value={`/chat/${id}`} />
        <Input
          key={title}
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

export function ConversationActions({ id, pinned, archived }: ConversationHeading) {
  const exportTo = (format: string) => `/chat/${id}/export?format=${format}`;
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
      <MenuLink to={`${LIST}?dialog=move&id=${id}&returnTo=/chat/${id}`} icon={<FolderInput />}>
        Move to Folder
      </MenuLink>
      <ShareItem id={id} />
      <MenuSubmit icon={<Workflow />} {...submit("schedule")}>
        Ask Every Weekday
      </MenuSubmit>
      <MenuLink to={exportTo("markdown")} reloadDocument icon={<FileText />}>
        Export as Markdown
      </MenuLink>
      <MenuLink to={exportTo("json")} reloadDocument icon={<FileJson />}>
        Export as JSON
      </MenuLink>
      <MenuLink to={exportTo("html")} reloadDocument icon={<FileCode />}>
        Export as HTML
      </MenuLink>
      <MenuSubmit icon={<Trash2 />} {...submit("delete", "/chat")}>
        Delete
      </MenuSubmit>
    </Menu>
  );
}
