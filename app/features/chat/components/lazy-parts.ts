import { lazyPart } from "~/ui/lazy-part";
import { preloadMarkdown } from "./markdown-reader";
import { attachments, toolCalls } from "./message-parts";

/** What draws messages, which an empty conversation does without. */
export const messages = lazyPart(
  () => import("./conversation-messages").then((module) => module.ConversationMessages),
  "[role=log] article",
);

/** What some conversations have. */
export const notices = lazyPart(
  () => import("./conversation-notices").then((module) => module.ConversationNotices),
  "[data-notices]",
);
export const branchBar = lazyPart(
  () => import("./branch-bar").then((module) => module.BranchBar),
  "[data-branch-bar]",
);

/** Fetches what draws an answer and reads its stream, since something is typed. */
export function preloadMessages(): void {
  messages.preload();
  toolCalls.preload();
  attachments.preload();
  // Sending loads it otherwise.
  import("./read-events").catch(() => undefined);
}

/** Fetches what an answer that is about to be written needs. */
export function preloadAnswer(): void {
  preloadMessages();
  preloadMarkdown();
}
