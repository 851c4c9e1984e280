import type { BundledPlugin } from "../plugin";
import { calculator } from "./calculator/plugin.server";
import { chatWorkspace } from "./chat-workspace/plugin.server";
import { dataAnalyst } from "./data-analyst/plugin.server";
import { dataTransformer } from "./data-transformer/plugin.server";
import { dateTime } from "./date-time/plugin.server";
import { diagramMaker } from "./diagram-maker/plugin.server";
import { documentTranslator } from "./document-translator/plugin.server";
import { feedReader } from "./feed-reader/plugin.server";
import { githubIssues } from "./github-issues/plugin.server";
import { gitlabIssues } from "./gitlab-issues/plugin.server";
import { injectionScanner } from "./injection-scanner/plugin.server";
import { openapiCaller } from "./openapi-caller/plugin.server";
import { piiRedactor } from "./pii-redactor/plugin.server";
import { postgresExplorer } from "./postgres-explorer/plugin.server";
import { webScraping } from "./web-scraping/plugin.server";
import { webSearch } from "./web-search/plugin.server";
import { webhookNotifier } from "./webhook-notifier/plugin.server";

/** A new one is a folder and a line here. */
export const bundledPlugins: readonly BundledPlugin[] = [
  chatWorkspace,
  webhookNotifier,
  webSearch,
  webScraping,
  feedReader,
  dataAnalyst,
  dataTransformer,
  diagramMaker,
  postgresExplorer,
  githubIssues,
  gitlabIssues,
  openapiCaller,
  calculator,
  dateTime,
  documentTranslator,
  piiRedactor,
  injectionScanner,
];
