import { lazyPart } from "~/ui/lazy-part";
import { preloadMarkdown } from "./markdown-reader";
import { attachments, toolCalls } from "./message-parts";

export const messages = lazyPart(
  () => import("./conversation-messages").then((module) => module.ConversationMessages),
  "[role=log] article",
);

export const emptyConversation = lazyPart(
  () => import("./starters").then((module) => module.EmptyConversation),
  "[data-empty-conversation]",
);
export const starters = lazyPart(
  () => import("./starters").then((module) => module.Starters),
  "[data-starters]",
);

export const notices = lazyPart(
  () => import("./conversation-notices").then((module) => module.ConversationNotices),
  "[data-notices]",
);
export const warnings = lazyPart(
  () => import("./conversation-notices").then((module) => module.ConversationWarnings),
  "[data-warnings]",
);
export const memoryProposals = lazyPart(
  () => import("./memory-proposals").then((module) => module.SubmittedProposals),
  "[data-memory-proposals]",
);
export const composerNotices = lazyPart(
  () => import("./composer-notices").then((module) => module.ComposerNotices),
  "[data-composer-notices]",
);
export const branchBar = lazyPart(
  () => import("./branch-bar").then((module) => module.BranchBar),
  "[data-branch-bar]",
);

export const sourcePanel = lazyPart(
  () => import("./source-panel").then((module) => module.SourcePanel),
  "[data-source-panel]",
);

export const chatSettings = lazyPart(
  () => import("./chat-settings").then((module) => module.ChatSettings),
  "[data-chat-settings]",
);

/** Preloads the answer's components and stream reader once the user types. */
export function preloadMessages(): void {
  messages.preload();
  toolCalls.preload();
  attachments.preload();
  // Sending loads it otherwise.
  import("./read-events").catch(() => undefined);
}

export function preloadAnswer(): void {
  preloadMessages();
  preloadMarkdown();
}
