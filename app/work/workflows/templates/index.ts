import { workflowSources } from "../contributed/contributed-sources.service.server";
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

interface OfferedTemplate extends WorkflowTemplate {
  /** The plugin's title. */
  from?: string;
}

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

/** Built in, then active plugins'. */
export const listAllTemplates = (orgId: string): readonly OfferedTemplate[] => [
  ...templates,
  ...[...workflowSources()].flatMap((source) =>
    source.templates(orgId).map(({ from, template }) => ({ ...template, from })),
  ),
];

export const findTemplate = (orgId: string, id: string): OfferedTemplate | undefined =>
  listAllTemplates(orgId).find((template) => template.id === id);
