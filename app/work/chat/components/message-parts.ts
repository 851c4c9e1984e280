import { lazyPart, onFirstUse } from "~/ui/lazy-part";

export const toolCalls = lazyPart(
  () => import("./tool-call-view").then((module) => module.ToolCallView),
  "[data-tool-call]",
);
export const answerFiles = lazyPart(
  () => import("./tool-call-view").then((module) => module.AnswerFile),
  "[data-answer-file]",
);
export const questions = lazyPart(
  () => import("./question-form").then((module) => module.QuestionForm),
  "[data-question]",
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
  () => import("./context-summary").then((module) => module.ConversationSummary),
  "[data-summary]",
);
onFirstUse(messagePanel.preload);
