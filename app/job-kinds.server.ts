import { modelJobs } from "~/ai/models/models.jobs.server";
import { offboardingJobs } from "~/console/offboarding/offboarding.jobs.server";
import { sampleJobs } from "~/console/samples/samples.jobs.server";
import { fileJobs } from "~/platform/files/files.jobs.server";
import type { JobKind } from "~/platform/jobs/job-kind.service.server";
import { queueJobs } from "~/platform/jobs/jobs.jobs.server";
import { backupJobs } from "~/team/backups/backups.jobs.server";
import { budgetJobs } from "~/team/budgets/budgets.jobs.server";
import { memberJobs } from "~/team/members/members.jobs.server";
import { notificationJobs } from "~/team/notifications/notifications.jobs.server";
import { usageJobs } from "~/team/usage/usage.jobs.server";
import { chatJobs } from "~/work/chat/chat.jobs.server";
import { comparisonJobs } from "~/work/comparisons/comparisons.jobs.server";
import { documentJobs } from "~/work/documents/documents.jobs.server";
import { sourceJobs } from "~/work/documents/sources/sources.jobs.server";
import { evaluationJobs } from "~/work/evaluations/evaluations.jobs.server";
import { indexJobs } from "~/work/index/index.jobs.server";
import { pluginJobs } from "~/work/plugins/plugins.jobs.server";
import { searchJobs } from "~/work/search/search.jobs.server";
import { widgetJobs } from "~/work/widgets/widgets.jobs.server";
import { workflowJobs } from "~/work/workflows/workflows.jobs.server";

export const jobKinds: readonly JobKind[] = [
  ...queueJobs,
  ...fileJobs,
  ...memberJobs,
  ...chatJobs,
  ...comparisonJobs,
  ...evaluationJobs,
  ...modelJobs,
  ...documentJobs,
  ...sourceJobs,
  ...indexJobs,
  ...searchJobs(),
  ...usageJobs,
  ...budgetJobs,
  ...offboardingJobs,
  ...pluginJobs,
  ...notificationJobs,
  ...workflowJobs,
  ...widgetJobs,
  ...backupJobs,
  ...sampleJobs,
];
