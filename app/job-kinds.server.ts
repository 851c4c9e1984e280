import { probeProvidersJob } from "~/ai/models/probe-providers-job.service.server";
import { refreshHubsJob } from "~/ai/models/refresh-hubs-job.service.server";
import { offboardingJob } from "~/console/offboarding/offboarding-job.service.server";
import type { JobKind } from "~/platform/jobs/job-kind.service.server";
import { sweepJobs } from "~/platform/jobs/sweep-job.service.server";
import { backupJobs } from "~/team/backups/backup-jobs.service.server";
import { pruneBudgetPeriodsJob } from "~/team/budgets/prune-job.service.server";
import { sweepSessionsJob } from "~/team/members/sweep-sessions-job.service.server";
import { deliverJob } from "~/team/notifications/deliver-job.service.server";
import { pruneNotificationsJob } from "~/team/notifications/prune-job.service.server";
import { sumUsageJob } from "~/team/usage/sum-usage-job.service.server";
import { remindWaitingJob } from "~/work/chat/approvals/remind-waiting-job.service.server";
import { sweepAttachmentsJob } from "~/work/chat/attachments/sweep-attachments-job.service.server";
import { purgeConversationsJob } from "~/work/chat/list/purge-job.service.server";
import { pruneEventsJob } from "~/work/chat/prune-events-job.service.server";
import { proposeTitleJob } from "~/work/chat/title/title-job.service.server";
import { importConversationsJob } from "~/work/chat/transfer/import-job.service.server";
import { documentJobs } from "~/work/documents/ingestion/ingestion-jobs.service.server";
import { refreshDueJob } from "~/work/documents/ingestion/refresh-due-job.service.server";
import { sweepDocumentsJob } from "~/work/documents/ingestion/sweep-documents-job.service.server";
import { maintainIndexesJob } from "~/work/index/maintain-indexes-job.service.server";
import { refreshCatalogJob } from "~/work/plugins/catalog/refresh-catalog-job.service.server";
import { forgetPluginSettingsJob } from "~/work/plugins/forget-settings-job.service.server";
import { refreshMcpServersJob } from "~/work/plugins/mcp/refresh-servers-job.service.server";
import { checkRetrievalJob } from "~/work/search/evaluation/check-retrieval-job.service.server";
import { workflowJobs } from "~/work/workflows/workflow-jobs.service.server";

export const jobKinds: readonly JobKind[] = [
  sweepJobs,
  sweepSessionsJob,
  pruneEventsJob,
  sweepAttachmentsJob,
  importConversationsJob,
  purgeConversationsJob,
  proposeTitleJob,
  remindWaitingJob,
  probeProvidersJob,
  refreshHubsJob,
  ...documentJobs,
  maintainIndexesJob,
  checkRetrievalJob,
  refreshDueJob,
  sweepDocumentsJob,
  sumUsageJob,
  pruneBudgetPeriodsJob,
  offboardingJob,
  forgetPluginSettingsJob,
  refreshMcpServersJob,
  refreshCatalogJob,
  deliverJob,
  pruneNotificationsJob,
  ...workflowJobs,
  ...backupJobs,
];
