import { lazyPart, onFirstUse } from "~/ui/lazy-part";

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
export const conversationSummary = lazyPart(
  () => import("./conversation-context").then((module) => module.ConversationSummary),
  "[data-summary]",
);
export const contextGauge = lazyPart(
  () => import("./conversation-context").then((module) => module.ContextGauge),
  "[data-context-gauge]",
);
onFirstUse(messagePanel.preload);
