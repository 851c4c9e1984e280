/** Where a call's entry is tested that needs more than a server to bring it about. */
interface Elsewhere {
  file: string;
  /** The action, which the file names. */
  action: string;
}

const at = (file: string, action: string): Elsewhere => ({ file, action });

export const ELSEWHERE: Record<string, Elsewhere> = {
  "POST /api/rag/documents/{id}/retry": at(
    "app/work/documents/jobs/work.service.test.ts",
    "document.retried",
  ),
  "POST /api/rag/documents/{id}/cancel": at(
    "app/work/documents/jobs/work.service.test.ts",
    "document.cancelled",
  ),
  "POST /api/rag/embedding-offer": at("app/work/index/embedding-offer.service.test.ts", "embedding.agreed"),
  "POST /api/rag/rebuild": at("app/work/index/generations/builder.test.ts", "index.rebuild"),
  "POST /api/rag/indexes/{id}/switch": at("app/work/index/generations/builder.test.ts", "index.switched"),
  "POST /api/rag/indexes/{id}/cancel": at("app/work/index/generations/builder.test.ts", "index.cancelled"),
  "POST /api/members/{id}/admit": at("app/team/members/member.service.test.ts", "member.admitted"),
  "DELETE /api/auth/user": at("app/console/offboarding/offboarding.service.test.ts", "member.left"),
  "POST /api/members/{id}/decline": at("app/team/members/member.service.test.ts", "member.declined"),
  "POST /api/system/jobs/{id}/cancel": at("app/platform/jobs/jobs.test.ts", "job.cancelled"),
  "POST /api/system/compact": at("app/team/backups/backups.service.test.ts", "compaction.requested"),
  "POST /api/hooks/{token}": at("app/work/workflows/workflows.service.test.ts", "workflow.executed"),
  "POST /api/workflows/try-step": at("app/work/workflows/try-step.service.test.ts", "workflow.step_tried"),
  "POST /api/runs/{id}/retry": at("app/work/workflows/engine/engine.test.ts", "workflow.run_retried"),
  "POST /api/runs/{id}/answer": at("app/work/workflows/engine/engine.test.ts", "workflow.step_approved"),
  "POST /api/runs/{id}/approval-links": at(
    "app/work/workflows/approval-links.service.test.ts",
    "workflow.link_created",
  ),
  "POST /api/mcp-servers": at("app/work/plugins/mcp/mcp.test.ts", "extension.server_added"),
  "DELETE /api/mcp-servers/{id}/account": at(
    "app/work/plugins/mcp/oauth/oauth.test.ts",
    "extension.server_disconnected",
  ),
  "POST /api/mcp-prompts": at("app/work/plugins/mcp/results.test.ts", "extension.prompt_used"),
  "PUT /api/mcp-servers/{id}/tools": at("app/work/plugins/mcp/mcp.test.ts", "extension.tools_updated"),
  "POST /api/ai/imports": at("app/work/chat/transfer/imports.service.test.ts", "conversation.import_started"),
  "POST /api/ai/imports/{id}/cancel": at(
    "app/work/chat/transfer/imports.service.test.ts",
    "conversation.import_canceled",
  ),
  "PUT /api/ai/conversations/{conversation}/sharing": at(
    "app/work/chat/shares/shares.service.test.ts",
    "conversation.shared",
  ),
  "POST /api/ai/conversations/{conversation}/links": at(
    "app/work/chat/shares/shares.service.test.ts",
    "conversation.link_created",
  ),
  "DELETE /api/ai/conversations/{conversation}/links/{link}": at(
    "app/work/chat/shares/shares.service.test.ts",
    "conversation.link_revoked",
  ),
  "DELETE /api/ai/share-links/{link}": at(
    "app/work/chat/shares/shares.service.test.ts",
    "conversation.link_revoked",
  ),
  "PATCH /api/ai/conversations/{conversation}": at(
    "app/work/chat/list/list.service.test.ts",
    "conversation.renamed",
  ),
  "DELETE /api/ai/conversations/{conversation}": at(
    "app/work/chat/list/list.service.test.ts",
    "conversation.deleted",
  ),
  "POST /api/ai/conversations/{conversation}/restore": at(
    "app/work/chat/list/list.service.test.ts",
    "conversation.restored",
  ),
  "POST /api/ai/chat/{conversation}/edit": at(
    "app/work/chat/branches.service.test.ts",
    "conversation.edited",
  ),
  "POST /api/ai/conversations/{conversation}/branch": at(
    "app/work/chat/branches.service.test.ts",
    "conversation.branched",
  ),
  "POST /api/ai/chat/{conversation}/approvals": at(
    "app/work/chat/approvals/approvals.test.ts",
    "tool_approved",
  ),
};

const TURN = "an AI turn is content of its conversation, not a change of the console";
const READS = "it reads";
const SHOWN_BRANCH = "it chooses which of one's own messages are shown";
const RATING = "a person's rating is content of their conversation";
const STARTS_SIGN_IN = "nothing is kept but the state of the sign-in; its end has its entry";
const CHECKS_TOOLS = "it asks the server for its tools; allowing them has its entry";
const HOOK = "a webhook answers every method alike, and POST is held to the entry";

const PREFERENCE = "a person's own preference";
const MARKS = "a person marks their own notifications";
const TESTS = "it sends a test and stores nothing";

/** Calls without an entry, with the reason. */
export const UNAUDITED: Record<string, string> = {
  "POST /api/rag/search": READS,
  "POST /api/providers/{id}/test": "it asks the provider and stores nothing",
  "POST /api/mcp-servers/{id}/refresh": CHECKS_TOOLS,
  "POST /api/mcp-servers/{id}/account": STARTS_SIGN_IN,
  "POST /mcp": "what its tools change is held to the entries of the calls that share their services",
  "POST /api/personas/try": "nothing is stored but its usage",
  "POST /api/ai/chat": TURN,
  "POST /api/ai/chat/{conversation}/stop": TURN,
  "POST /api/ai/chat/{conversation}/regenerate": TURN,
  "POST /api/ai/conversations/{conversation}/variant": SHOWN_BRANCH,
  "PUT /api/ai/conversations/{conversation}/feedback": RATING,
  "POST /api/ai/comparisons/{comparison}/continue": TURN,
  "POST /api/notifications/read-all": MARKS,
  "PATCH /api/notifications/{id}": MARKS,
  "PUT /api/notifications/preferences": PREFERENCE,
  "POST /api/notifications/push": PREFERENCE,
  "DELETE /api/notifications/push/{id}": PREFERENCE,
  "POST /api/notifications/channels/{channel}/test": TESTS,
  "PUT /api/hooks/{token}": HOOK,
  "PATCH /api/hooks/{token}": HOOK,
  "DELETE /api/hooks/{token}": HOOK,
  "POST /v1/chat/completions": TURN,
  "POST /v1/responses": TURN,
  "POST /v1/messages": TURN,
  "POST /v1/embeddings": READS,
};

/** A screen's form: the service function it calls, and the call of the API that is held to its entry and calls it too. */
type Form = { calls: string; like?: string; apiCalls?: string; test?: Elsewhere } | { reason: string };

const like = (calls: string, call: string, apiCalls?: string): Form => ({
  calls,
  like: call,
  ...(apiCalls ? { apiCalls } : {}),
});
const tested = (calls: string, file: string, action: string): Form => ({ calls, test: at(file, action) });

const PATCH_DOCUMENT = like("patchDocument", "PATCH /api/rag/documents/{id}");
const NEW_VERSION = like("addDocumentVersion", "POST /api/rag/documents/{id}/versions");

const QUESTION = like("submitQuestion", "POST /api/rag/check/questions", "addQuestion");
const SAVE_MODEL = like("saveModel", "PATCH /api/models");

/** Every form of every screen, by its address and its intent. */
const LISTED = tested("change", "app/work/chat/list/list.service.test.ts", "conversation.pinned");

export const FORMS: Record<string, Form> = {
  "/rag ingest-text": like("ingest", "POST /api/rag/ingest"),
  "/rag ingest-url": like("ingest", "POST /api/rag/ingest"),
  "/rag save-settings": like("saveSettingsForm", "PUT /api/user/settings", "changeSettings"),
  "/rag/categories create": like("createCategory", "POST /api/rag/categories"),
  "/rag/categories rename": like("renameCategory", "PATCH /api/rag/categories/{id}"),
  "/rag/categories delete": like("deleteCategory", "DELETE /api/rag/categories/{id}"),
  "/rag/{documentId} restore": like("restoreDocument", "POST /api/rag/documents/{id}/restore"),
  "/rag/{documentId} delete": like("deleteDocument", "DELETE /api/rag/documents/{id}"),
  "/rag/{documentId} refresh-now": tested(
    "refreshNow",
    "app/work/documents/ingestion/refresh-document.service.test.ts",
    "document.retried",
  ),
  "/rag/{documentId} restore-version": tested(
    "restoreVersion",
    "app/work/documents/ingestion/document-versions.service.test.ts",
    "version_restored",
  ),
  "/rag/{documentId}/version submit": like("receiveDocumentVersion", "POST /api/rag/documents/{id}/versions"),
  "/rag/{documentId} rename": PATCH_DOCUMENT,
  "/rag/{documentId} access": PATCH_DOCUMENT,
  "/rag/{documentId} schedule": PATCH_DOCUMENT,
  "/rag/{documentId} version-text": NEW_VERSION,
  "/rag/check add": QUESTION,
  "/rag/check change": QUESTION,
  "/rag/check delete": like("deleteQuestion", "DELETE /api/rag/check/questions/{id}"),
  "/rag/check switch": like("switchToIndex", "POST /api/rag/indexes/{id}/switch"),
  "/rag/check keep": like("cancelIndex", "POST /api/rag/indexes/{id}/cancel"),
  "/rag/check run": like("startCheck", "POST /api/rag/check/runs"),
  "/rag/check stop": tested(
    "stopCheck",
    "app/work/search/evaluation/retrieval-check.service.test.ts",
    "retrieval_check.stopped",
  ),
  "/rag/upload submit": tested(
    "submitUpload",
    "app/work/documents/ingestion/upload.service.test.ts",
    "batch.created",
  ),
  "/rag/changes set-category": like("changeDocuments", "POST /api/rag/documents/bulk"),
  "/rag/changes move": like("moveDocument", "POST /api/rag/documents/{id}/move"),
  "/rag/changes undo-moves": tested(
    "undoMoves",
    "app/work/documents/bulk-documents.service.test.ts",
    "document.updated",
  ),
  "/rag/changes move-selected": like("changeDocuments", "POST /api/rag/documents/bulk"),
  "/rag/changes retry-selected": like("changeDocuments", "POST /api/rag/documents/bulk"),
  "/rag/changes delete-selected": like("changeDocuments", "POST /api/rag/documents/bulk"),
  "/rag/changes restore-deletion": tested(
    "restoreDeletion",
    "app/work/documents/bulk-documents.service.test.ts",
    "document.restored",
  ),
  "/rag/changes restore-selected": tested(
    "restoreDocuments",
    "app/work/documents/bulk-documents.service.test.ts",
    "document.restored",
  ),
  "/rag/changes retry": like("retryDocument", "POST /api/rag/documents/{id}/retry"),
  "/rag/changes cancel": like("cancelDocument", "POST /api/rag/documents/{id}/cancel"),
  "/rag/changes retry-failed": tested(
    "retryFailed",
    "app/work/documents/ingestion/retry-failed.service.test.ts",
    "document.retried",
  ),
  "/rag/changes cancel-batch": like("cancelBatch", "POST /api/rag/batches/{id}/cancel"),
  "/rag/changes switch-index": like("switchToIndex", "POST /api/rag/indexes/{id}/switch"),
  "/rag/changes cancel-index": like("cancelIndex", "POST /api/rag/indexes/{id}/cancel"),
  "/rag/changes rebuild-index": like("rebuildIndex", "POST /api/rag/rebuild"),
  "/rag/changes embedding-offer": like("decideOnOffer", "POST /api/rag/embedding-offer"),
  "/ ask": { reason: TURN },
  "/audit verify": tested("checkTrail", "app/console/audit/verify.service.test.ts", "audit.verified"),
  "/audit/retention seal": like("sealBefore", "POST /api/audit/checkpoints"),
  "/audit/retention anchor": like("anchorNow", "POST /api/audit/anchors"),
  "/audit/retention drop": like("dropSealed", "DELETE /api/audit/checkpoints/{upTo}"),
  "/audit accept": tested("acceptTrail", "app/console/audit/verify.service.test.ts", "audit.accepted"),
  "/chat/all rename": like("changeConversation", "PATCH /api/ai/conversations/{conversation}"),
  "/chat/all pin": LISTED,
  "/chat/all unpin": LISTED,
  "/chat/all archive": LISTED,
  "/chat/all unarchive": LISTED,
  "/chat/all move": tested(
    "changeConversations",
    "app/work/chat/list/list.service.test.ts",
    "conversation.moved",
  ),
  "/chat/all delete": like("deleteConversations", "DELETE /api/ai/conversations/{conversation}"),
  "/chat/all restore-selected": like(
    "restoreDeleted",
    "POST /api/ai/conversations/{conversation}/restore",
    "restoreConversation",
  ),
  "/chat/all restore": tested(
    "restoreConversations",
    "app/work/chat/list/list.service.test.ts",
    "conversation.restored",
  ),
  "/chat/all create-folder": like("createFolder", "POST /api/ai/folders"),
  "/chat/all rename-folder": like("renameFolder", "PATCH /api/ai/folders/{folder}"),
  "/chat/all delete-folder": like("deleteFolder", "DELETE /api/ai/folders/{folder}"),
  "/chat/{conversationId}? send": { reason: TURN },
  "/chat/{conversationId}? send-files": { reason: TURN },
  "/chat/{conversationId}? model": { reason: PREFERENCE },
  "/chat/{conversationId}? persona": { reason: "it fills in the form" },
  "/chat/{conversationId}? stop": { reason: TURN },
  "/chat/{conversationId}? decide-call": tested(
    "decideByForm",
    "app/work/chat/approvals/approvals.test.ts",
    "tool_approved",
  ),
  "/chat/{conversationId}? withdraw-approval": tested(
    "withdrawApproval",
    "app/work/chat/approvals/approvals.test.ts",
    "tool_approval_withdrawn",
  ),
  "/chat/{conversationId}? regenerate": { reason: TURN },
  "/chat/{conversationId}? edit": like("editMessage", "POST /api/ai/chat/{conversation}/edit"),
  "/chat/{conversationId}? variant": { reason: SHOWN_BRANCH },
  "/chat/{conversationId}? branch": like(
    "branchConversation",
    "POST /api/ai/conversations/{conversation}/branch",
  ),
  "/chat/{conversationId}? feedback": { reason: RATING },
  "/chat/{conversationId}? unrate": { reason: RATING },
  "/chat/{conversationId}? allow-sharing": tested(
    "changeSharing",
    "app/work/chat/sharing.service.test.ts",
    "sharing_allowed",
  ),
  "/chat/{conversationId}? withdraw-sharing": tested(
    "changeSharing",
    "app/work/chat/sharing.service.test.ts",
    "sharing_allowed",
  ),
  "/chat/import submit": like("startImport", "POST /api/ai/imports"),
  "/chat/import cancel": like("cancelImport", "POST /api/ai/imports/{id}/cancel"),
  "/chat/{conversationId}/share share": like(
    "shareConversation",
    "PUT /api/ai/conversations/{conversation}/sharing",
  ),
  "/chat/{conversationId}/share create-link": like(
    "createShareLink",
    "POST /api/ai/conversations/{conversation}/links",
  ),
  "/chat/{conversationId}/share revoke-link": like(
    "revokeShareLink",
    "DELETE /api/ai/conversations/{conversation}/links/{link}",
  ),
  "/compare compare": like("createComparison", "POST /api/ai/comparisons"),
  "/compare delete": like("deleteComparison", "DELETE /api/ai/comparisons/{comparison}"),
  "/compare/{comparisonId} stop": like("stopComparison", "POST /api/ai/comparisons/{comparison}/stop"),
  "/compare/{comparisonId} stop-one": { reason: TURN },
  "/compare/{comparisonId} continue": { reason: TURN },
  "/compare/{comparisonId} delete": like("deleteComparison", "DELETE /api/ai/comparisons/{comparison}"),
  "/extensions install": like("installPlugin", "POST /api/plugins/{id}/install", "installAny"),
  "/extensions agree": like("installPlugin", "POST /api/plugins/{id}/install", "installAny"),
  "/extensions uninstall": like("uninstallPlugin", "DELETE /api/plugins/{id}/install"),
  "/extensions enable": like("configurePlugin", "PATCH /api/plugins/{pluginId}/config"),
  "/extensions disable": like("configurePlugin", "PATCH /api/plugins/{pluginId}/config"),
  "/extensions configure": like("configurePlugin", "PATCH /api/plugins/{pluginId}/config"),
  "/extensions rate": like("ratePlugin", "PUT /api/plugins/{id}/rating"),
  "/extensions add-server": like("addMcpServer", "POST /api/mcp-servers"),
  "/extensions refresh-tools": { reason: CHECKS_TOOLS },
  "/extensions connect-account": { reason: STARTS_SIGN_IN },
  "/extensions disconnect-account": like("disconnectAccount", "DELETE /api/mcp-servers/{id}/account"),
  "/extensions decide-tools": like("decideTools", "PUT /api/mcp-servers/{id}/tools"),
  "/personas create": like("createPersona", "POST /api/personas"),
  "/personas update": like("updatePersona", "PATCH /api/personas/{id}"),
  "/personas import": like("importPersonaText", "POST /api/personas", "createPersona"),
  "/personas try": { reason: "nothing is stored but its usage" },
  "/personas delete": like("removePersona", "DELETE /api/personas/{id}"),
  "/prompts create": like("createPrompt", "POST /api/prompts"),
  "/prompts update": like("updatePrompt", "PATCH /api/prompts/{id}"),
  "/prompts delete": like("deletePrompt", "DELETE /api/prompts/{id}"),
  "/prompts fill": { reason: "it fills in the form" },
  "/workflows create": like("createQuickWorkflow", "POST /api/workflows", "createWorkflow"),
  "/workflows import": like("importWorkflow", "POST /api/workflows", "createWorkflow"),
  "/workflows run": like("runWorkflow", "POST /api/workflows/run/{id}"),
  "/workflows enable": tested(
    "updateWorkflow",
    "app/work/workflows/workflows.service.test.ts",
    "workflow.enabled",
  ),
  "/workflows disable": tested(
    "updateWorkflow",
    "app/work/workflows/workflows.service.test.ts",
    "workflow.disabled",
  ),
  "/workflows duplicate": like("duplicateWorkflow", "POST /api/workflows/{id}/duplicate"),
  "/workflows take-over": like("takeOverWorkflow", "POST /api/workflows/{id}/take-over"),
  "/workflows delete": like("deleteWorkflow", "DELETE /api/workflows/{id}"),
  "/workflows/{workflowId} run": like("runWorkflow", "POST /api/workflows/run/{id}"),
  "/workflows/{workflowId} enable": tested(
    "updateWorkflow",
    "app/work/workflows/workflows.service.test.ts",
    "workflow.enabled",
  ),
  "/workflows/{workflowId} disable": tested(
    "updateWorkflow",
    "app/work/workflows/workflows.service.test.ts",
    "workflow.disabled",
  ),
  "/workflows/{workflowId} delete": like("deleteWorkflow", "DELETE /api/workflows/{id}"),
  "/workflows/{workflowId} take-over": like("takeOverWorkflow", "POST /api/workflows/{id}/take-over"),
  "/workflows/{workflowId} rotate": like(
    "rotateWebhook",
    "POST /api/workflows/{id}/webhooks/{trigger}/rotate",
  ),
  "/workflows/{workflowId} restore": like(
    "restoreVersion",
    "POST /api/workflows/{id}/versions/{version}/restore",
  ),
  "/workflows/runs/{runId} cancel": like("cancelRun", "POST /api/runs/{id}/cancel"),
  "/workflows/runs/{runId} retry": like("retryRun", "POST /api/runs/{id}/retry"),
  "/workflows/runs/{runId} repeat": like("repeatRun", "POST /api/runs/{id}/repeat"),
  "/workflows/runs/{runId} approve": like("answerStep", "POST /api/runs/{id}/answer"),
  "/workflows/runs/{runId} refuse": like("answerStep", "POST /api/runs/{id}/answer"),
  "/settings/branding save": like("saveBrandingForm", "PUT /api/branding", "updateBranding"),
  "/settings/branding/import submit": like("importBranding", "PUT /api/branding", "updateBranding"),
  "/settings/branding/image submit": tested(
    "submitBrandImage",
    "app/team/branding/branding.service.test.ts",
    "settings.updated",
  ),
  "/settings/branding reset": like("resetBranding", "PUT /api/branding", "updateBranding"),
  "/settings/providers add-provider": like("createProvider", "POST /api/providers"),
  "/settings/providers add-detected": like("createProvider", "POST /api/providers"),
  "/settings/providers save-provider": like("updateProvider", "PATCH /api/providers/{id}"),
  "/settings/providers toggle-provider": like("updateProvider", "PATCH /api/providers/{id}"),
  "/settings/providers move-provider": like("moveProvider", "POST /api/providers/{id}/move"),
  "/settings/providers delete-provider": like("deleteProvider", "DELETE /api/providers/{id}"),
  "/settings/providers refresh-provider": like("refreshModels", "POST /api/providers/{id}/refresh"),
  "/settings/providers test-provider": { reason: "it asks the provider and stores nothing" },
  "/settings/providers/models discover-models": like("discoverModels", "POST /api/models/discover"),
  "/settings/providers/models add-model": like("addModel", "POST /api/models/managed"),
  "/settings/providers/models add-custom-model": like("addCustomModel", "POST /api/models"),
  "/settings/providers/models save-model": SAVE_MODEL,
  "/settings/providers/models hide-model": SAVE_MODEL,
  "/settings/providers/models show-model": SAVE_MODEL,
  "/settings/providers/models recommend-model": SAVE_MODEL,
  "/settings/providers/models unrecommend-model": SAVE_MODEL,
  "/settings/providers/models remove-model": like("removeModel", "DELETE /api/models"),
  "/settings/providers/models save-policy": like("saveRouting", "PUT /api/settings/routing"),
  "/settings/advanced save": like("saveAdvancedForm", "PUT /api/settings/advanced", "updateAdvancedSettings"),
  "/settings/advanced set-tool-policy": like("setToolPolicy", "PUT /api/tools/{name}/policy"),
  "/settings/profile save-profile": like("updateProfile", "PATCH /api/auth/user"),
  "/settings/profile save-chat": { reason: PREFERENCE },
  "/settings/profile save-notifications": { reason: PREFERENCE },
  "/settings/profile remove-browser": { reason: PREFERENCE },
  "/settings/advanced clear-cache": like("clearCaches", "DELETE /api/settings/cache"),
  "/settings/advanced test-channel": { reason: TESTS },
  "/notifications read": { reason: MARKS },
  "/notifications unread": { reason: MARKS },
  "/notifications read-all": { reason: MARKS },
  "/settings/profile change-password": like("changePassword", "PUT /api/auth/password"),
  "/settings/profile create-token": like("createToken", "POST /api/tokens"),
  "/settings/profile revoke-token": like("revokeToken", "DELETE /api/tokens/{id}"),
  "/settings/profile end-session": like("endOwnSession", "DELETE /api/auth/sessions/{id}"),
  "/settings/profile sign-out-everywhere": like("endAllSessions", "DELETE /api/auth/sessions"),
  "/settings/keys add-key": like("addKey", "POST /api/keys"),
  "/settings/keys change-origin": like("changeKeyOrigin", "PATCH /api/keys/{id}"),
  "/settings/keys remove-key": like("removeKeyInUse", "DELETE /api/keys/{id}"),
  "/settings/members invite": like("inviteMember", "POST /api/members"),
  "/settings/members new-link": like("renewInvitation", "POST /api/members/{id}/invitation"),
  "/settings/members change-role": like("changeRole", "PATCH /api/members/{id}"),
  "/settings/members admit": like("admitMember", "POST /api/members/{id}/admit"),
  "/settings/members decline": like("declineMember", "POST /api/members/{id}/decline"),
  "/settings/members remove": like("removeMember", "DELETE /api/members/{id}"),
  "/settings/members suspend": like("suspendMember", "POST /api/members/{id}/suspend"),
  "/settings/members resume": like("resumeMember", "POST /api/members/{id}/resume"),
  "/settings/profile leave": like("leaveOrganisation", "DELETE /api/auth/user"),
  "/settings/members organisation": like("updateOrganisation", "PUT /api/organisation"),
  "/usage/budgets add": like("createBudget", "POST /api/budgets"),
  "/usage/budgets edit": like("updateBudget", "PUT /api/budgets/{id}"),
  "/usage/budgets exception": like("grantException", "POST /api/budgets/{id}/exception"),
  "/usage/budgets delete": like("deleteBudget", "DELETE /api/budgets/{id}"),
  "/settings/members revoke-link": like("revokeOrganizationLink", "DELETE /api/ai/share-links/{link}"),
  "/settings/members add-group": like("createGroup", "POST /api/groups"),
  "/settings/members edit-group": like("updateGroup", "PATCH /api/groups/{id}"),
  "/settings/members delete-group": like("deleteGroup", "DELETE /api/groups/{id}"),
  "/settings/system clear-errors": like("clearErrors", "DELETE /api/system/errors"),
  "/settings/system retry": like("retryJob", "POST /api/system/jobs/{id}/retry"),
  "/settings/system back-up": like("startBackup", "POST /api/system/backups"),
  "/settings/system restore": like("startRestore", "POST /api/system/backups/{id}/restore"),
  "/settings/system delete-backup": like("deleteBackup", "DELETE /api/system/backups/{id}"),
  "/settings/system check": like("startCheck", "POST /api/system/check"),
  "/settings/system compact": like("startCompaction", "POST /api/system/compact"),
  "/settings/system save": tested(
    "saveFormGroup",
    "app/team/backups/backups.service.test.ts",
    "settings.updated",
  ),
  "/settings/system allow-host": tested(
    "allowEgress",
    "app/console/settings/egress.service.test.ts",
    "egress.updated",
  ),
  "/settings/system disallow-host": tested(
    "disallowEgress",
    "app/console/settings/egress.service.test.ts",
    "egress.updated",
  ),
  "/settings/system/upload submit": tested(
    "uploadBackup",
    "app/team/backups/backups.service.test.ts",
    "backup.uploaded",
  ),
  "/workflows/builder submit": { reason: "it changes the draft of its form" },
  "/workflows/builder save": tested(
    "saveDraft",
    "app/work/workflows/builder.service.test.ts",
    "workflow.created",
  ),
  "/workflows/builder try": tested(
    "tryDraftStep",
    "app/work/workflows/try-step.service.test.ts",
    "workflow.step_tried",
  ),
  "/workflows/builder check": { reason: READS },
  "/model submit": { reason: PREFERENCE },
  "/theme submit": { reason: PREFERENCE },
  "/ hide-first-steps": { reason: PREFERENCE },
  "/login submit": tested("authenticateForm", "app/team/members/sign-in.service.test.ts", "user.login"),
  "/logout submit": like("signOut", "POST /api/logout"),
  "/setup submit": tested("setUpWithPassword", "app/team/members/setup.service.test.ts", "user.created"),
  "/setup/import submit": {
    calls: "importInstallation",
    test: { file: "tests/integration/backups.test.ts", action: "backup.restored" },
  },
  "/approve/{token} approve": tested(
    "answerByLink",
    "app/work/workflows/approval-links.service.test.ts",
    "workflow.link_approved",
  ),
  "/approve/{token} refuse": tested(
    "answerByLink",
    "app/work/workflows/approval-links.service.test.ts",
    "workflow.link_refused",
  ),
  "/invite/{token} submit": tested(
    "acceptWithPassword",
    "app/team/members/invitation.service.test.ts",
    "member.joined",
  ),
};

/** Addresses whose action takes no form. */
export const WITHOUT_FORMS = ["/*", "/api/*"];
