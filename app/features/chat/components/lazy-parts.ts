import { onFirstUse } from "~/ui/first-use";
import { lazyPart } from "~/ui/lazy-part";
import { preloadMarkdown } from "./markdown-reader";

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

export const toolCalls = lazyPart(
  () => import("./tool-call-view").then((module) => module.ToolCallView),
  "[data-tool-call]",
);
export const attachments = lazyPart(
  () => import("./attachments/message-attachments").then((module) => module.MessageAttachments),
  "[data-attachments]",
);
export const messagePanel = lazyPart(
  () => import("./message-panels").then((module) => module.MessagePanel),
  "[data-message-panel]",
);
onFirstUse(messagePanel.preload);

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
