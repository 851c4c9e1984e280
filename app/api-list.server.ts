import { gatewayApi, gatewayPrograms } from "~/ai/gateway/gateway.api";
import { guardrailsApi } from "~/ai/guardrails/guardrails.api";
import { modelsApi } from "~/ai/models/models.api";
import { providersApi } from "~/ai/models/providers.api";
import { toolsApi } from "~/ai/tools/tools.api";
import { auditApi } from "~/console/audit/audit.api";
import { dashboardApi } from "~/console/dashboard/dashboard.api";
import { metricsApi, metricsPrograms } from "~/console/monitoring/metrics.api";
import { offboardingApi } from "~/console/offboarding/offboarding.api";
import { findApi } from "~/console/palette/find.api";
import { keysApi } from "~/console/settings/keys.api";
import { settingsApi } from "~/console/settings/settings.api";
import { signInApi } from "~/http/sign-in.api";
import { systemApi } from "~/http/system.api";
import { eventsApi } from "~/platform/events/events.api";
import { jobsApi } from "~/platform/jobs/jobs.api";
import { backupsApi } from "~/team/backups/backups.api";
import { brandingApi } from "~/team/branding/branding.api";
import { budgetsApi } from "~/team/budgets/budgets.api";
import { errorsApi } from "~/team/errors/errors.api";
import { accountApi } from "~/team/members/account.api";
import { membersApi } from "~/team/members/members.api";
import { tokensApi } from "~/team/members/tokens.api";
import { notificationsApi } from "~/team/notifications/notifications.api";
import { organizationApi } from "~/team/organization/organization.api";
import { usageApi } from "~/team/usage/usage.api";
import { attachmentsApi } from "~/work/chat/attachments/attachments.api";
import { conversationsApi } from "~/work/chat/conversations.api";
import { memoriesApi } from "~/work/chat/memories/memories.api";
import { messagesApi } from "~/work/chat/messages.api";
import { projectsApi } from "~/work/chat/projects/projects.api";
import { chatSharesApi } from "~/work/chat/shares/chat-shares.api";
import { importsApi } from "~/work/chat/transfer/imports.api";
import { voiceApi } from "~/work/chat/voice/voice.api";
import { comparisonsApi } from "~/work/comparisons/comparisons.api";
import { categoriesApi } from "~/work/documents/categories/categories.api";
import { documentsApi } from "~/work/documents/documents.api";
import { uploadsApi } from "~/work/documents/ingestion/uploads.api";
import { sourcesApi } from "~/work/documents/sources/sources.api";
import { evaluationsApi } from "~/work/evaluations/evaluations.api";
import { recognitionApi } from "~/work/extraction/recognition/reading-server.api";
import { indexesApi } from "~/work/index/indexes.api";
import { personasApi } from "~/work/personas/personas.api";
import { mcpPrograms, mcpServersApi } from "~/work/plugins/mcp/mcp-servers.api";
import { pluginsApi } from "~/work/plugins/plugins.api";
import { promptsApi } from "~/work/prompts/prompts.api";
import { checksApi } from "~/work/search/evaluation/checks.api";
import { searchApi } from "~/work/search/search.api";
import { skillsApi } from "~/work/skills/skills.api";
import { hookPrograms, hooksApi } from "~/work/workflows/hooks.api";
import { runsApi } from "~/work/workflows/runs.api";
import { workflowsApi } from "~/work/workflows/workflows.api";
import type { Program } from "./platform/endpoint/endpoint.shared";
import { groupsApi } from "./team/members/members.api";
import { secondFactorApi } from "./team/members/second-factor.api";
import { widgetPrograms, widgetsApi } from "./work/widgets/widgets.api";

/** The calls of the API, a line a noun. */
export const api = [
  ...modelsApi,
  ...providersApi,
  ...toolsApi,
  ...auditApi,
  ...dashboardApi,
  ...offboardingApi,
  ...findApi,
  ...keysApi,
  ...settingsApi,
  ...signInApi,
  ...systemApi,
  ...eventsApi,
  ...jobsApi,
  ...backupsApi,
  ...brandingApi,
  ...budgetsApi,
  ...errorsApi,
  ...accountApi,
  ...secondFactorApi,
  ...groupsApi,
  ...membersApi,
  ...tokensApi,
  ...notificationsApi,
  ...organizationApi,
  ...usageApi,
  ...attachmentsApi,
  ...conversationsApi,
  ...projectsApi,
  ...messagesApi,
  ...voiceApi,
  ...chatSharesApi,
  ...importsApi,
  ...comparisonsApi,
  ...evaluationsApi,
  ...categoriesApi,
  ...documentsApi,
  ...uploadsApi,
  ...sourcesApi,
  ...recognitionApi,
  ...indexesApi,
  ...memoriesApi,
  ...personasApi,
  ...mcpServersApi,
  ...pluginsApi,
  ...promptsApi,
  ...skillsApi,
  ...checksApi,
  ...searchApi,
  ...runsApi,
  ...workflowsApi,
  ...gatewayApi,
  ...guardrailsApi,
  ...hooksApi,
  ...metricsApi,
  ...widgetsApi,
];

/** Which of them programs call, the longest address first. */
export const programs: readonly Program[] = [
  ...gatewayPrograms,
  ...hookPrograms,
  ...metricsPrograms,
  ...mcpPrograms,
  ...widgetPrograms,
  ...["/healthz", "/readyz"].map((under) => ({ under })),
];
