import { answerFromDocuments } from "./answer-from-documents";
import { askBeforeSending } from "./ask-before-sending";
import { healthCheck } from "./health-check";
import { importAList } from "./import-a-list";
import { nineOclockDigest } from "./nine-oclock-digest";
import type { WorkflowTemplate } from "./template";
import { triageAMessage } from "./triage-a-message";
import { watchAPage } from "./watch-a-page";
import { webhookToSummary } from "./webhook-to-summary";
import { weeklyDatabaseReport } from "./weekly-database-report";

export type { WorkflowTemplate };

/** In the order of the screen. */
export const templates: readonly WorkflowTemplate[] = [
  nineOclockDigest,
  webhookToSummary,
  triageAMessage,
  answerFromDocuments,
  weeklyDatabaseReport,
  watchAPage,
  askBeforeSending,
  importAList,
  healthCheck,
];

export const findTemplate = (id: string): WorkflowTemplate | undefined =>
  templates.find((template) => template.id === id);
