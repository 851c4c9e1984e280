import { z } from "zod";
import { CursorParam } from "~/platform/catalogue/fields.schema";
import { type ConversationSummary, ConversationTitle, listed } from "../chat.schema";
import type { ConversationFolder } from "../projects/projects.schema";

/** How long a deletion can be undone, in ms. */
export const UNDO_TIME = 10 * 60_000;

export const LIST_PAGE = 30;

export const RenameInput = z.object({ title: ConversationTitle });

export const SelectionInput = z.object({
  ids: listed(z.array(z.string().max(100)).min(1, "Select at least one conversation").max(200)),
  folderId: z.string().max(100).default(""),
});

export const ListQuery = z.object({
  q: z.string().trim().max(200).catch("").default(""),
  folder: z.string().max(100).optional().catch(undefined),
  archived: z.stringbool().catch(false).default(false),
  deleted: z.stringbool().catch(false).default(false),
  cursor: CursorParam,
  dialog: z
    .enum(["actions", "rename", "move", "delete", "new-folder", "rename-folder", "delete-folder"])
    .optional()
    .catch(undefined),
  id: z.string().max(100).optional().catch(undefined),
  returnTo: z.string().max(200).optional().catch(undefined),
});

export const MessageHit = z.object({
  conversationId: z.string(),
  title: z.string().describe("The conversation's title"),
  messageId: z.string(),
  role: z.enum(["user", "assistant"]),
  timestamp: z.iso.datetime(),
  excerpt: z
    .array(z.object({ text: z.string(), hit: z.boolean() }))
    .describe("The text around the first hit"),
});
export type MessageHit = z.infer<typeof MessageHit>;

export type ListPeriod = "pinned" | "today" | "week" | "older" | "folder";

export interface ListedConversation
  extends Pick<ConversationSummary, "id" | "title" | "activity" | "pinned" | "folderId"> {
  period: ListPeriod;
}

/** What the side navigation lists: of a folder, its newest while it is open. */
export interface ConversationNavigation {
  conversations: ListedConversation[];
  folders: (ConversationFolder & { isOpen: boolean })[];
}

/** Query of what the side navigation asks for: its lists, or what a search finds. */
export const NavigationQuery = z.object({ q: z.string().trim().max(200).optional().catch(undefined) });
