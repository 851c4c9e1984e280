/**
 * The sentence of each audit action. `{name}` is a required detail, `{name?}` an optional one, `{name?a document}` has a
 * fallback, and `{name|filename?}` takes the first that is present.
 */
export const auditSentences = {
  "workflow.created": "Created the workflow {workflowName}",
  "workflow.updated": "Changed the workflow {workflowName}",
  "workflow.enabled": "Enabled the workflow {workflowName}",
  "workflow.disabled": "Disabled the workflow {workflowName}",
  "workflow.deleted": "Deleted the workflow {workflowName}",
  "workflow.taken_over": "Took over the workflow {workflowName}",
  "workflow.webhook_rotated": "Changed the webhook address of {workflowName}",
  "workflow.executed": "Ran the workflow {workflowName}",
  "workflow.run_cancelled": "Canceled a run of {workflowName}",
  "workflow.run_retried": "Retried a run of {workflowName}",
  "workflow.step_approved": "Approved a step of {workflowName}",
  "workflow.step_refused": "Refused a step of {workflowName}",
  "workflow.step_tried": "Tried the step {step} of {workflowName}",
  "workflow.link_created": "Created an approval link for {recipient} to a step of {workflowName}",
  "workflow.link_approved": "Approved a step of {workflowName} through a link for {recipient}",
  "workflow.link_refused": "Refused a step of {workflowName} through a link for {recipient}",
  "attachment.added": "Attached a file to a message ({mediaType})",
  "attachment.removed": "Removed an attached file before sending",
  "conversation.created": "Started a conversation with {model}",
  "conversation.continued": "Continued a conversation with {model}",
  "conversation.regenerated": "Regenerated an answer with {model}",
  "conversation.edited": "Edited a message and asked {model} again",
  "conversation.branched": "Branched a conversation",
  "conversation.stopped": "Stopped an answer",
  "conversation.shared": "Shared a conversation with {audience}",
  "conversation.unshared": "Stopped sharing a conversation",
  "conversation.link_created": "Created a read-only link to a conversation",
  "conversation.link_revoked": "Revoked a read-only link to a conversation",
  "conversation.exported": "Exported a conversation as {format}",
  "conversation.import_started": "Started importing conversations from {file}",
  "conversation.import_canceled": "Canceled an import of conversations",
  "conversation.imported": "Imported {imported} conversations",
  "conversation.renamed": "Renamed a conversation",
  "conversation.pinned": "Pinned a conversation",
  "conversation.unpinned": "Unpinned a conversation",
  "conversation.archived": "Archived a conversation",
  "conversation.unarchived": "Restored a conversation from the archive",
  "conversation.moved": "Moved a conversation to another folder",
  "conversation.deleted": "Deleted a conversation",
  "conversation.restored": "Restored a deleted conversation",
  "conversation_folder.created": "Created a conversation folder",
  "conversation_folder.updated": "Renamed a conversation folder",
  "conversation_folder.deleted": "Deleted a conversation folder",
  "conversation.sharing_allowed": "Allowed tools to share a restricted conversation",
  "conversation.sharing_withdrawn": "Stopped tools from sharing a restricted conversation",
  "conversation.tool_approved": "Approved a call of the tool {tool}",
  "conversation.tool_refused": "Refused a call of the tool {tool}",
  "conversation.tool_approval_withdrawn": "Withdrew the approval of the tool {tool} for a conversation",
  "document.queued": "Queued the document {filename?}",
  "document.uploaded": "Added the document {filename?}",
  "document.updated": "Changed the document {name|filename?}",
  "document.cancelled": "Canceled the document {filename?}",
  "document.retried": "Retried the document {filename?}",
  "document.discarded": "Discarded an incomplete or duplicate upload",
  "document.deleted": "Deleted the document {name?}",
  "document.restored": "Restored the document {name?}",
  "document.reordered": "Reordered the documents of {category?a category}",
  "document.version_queued": "Queued a new version of {name?a document}",
  "document.version_restored": "Restored version {version} of {name?a document}",
  "document.schedule_stopped": "Stopped the refresh schedule of {name?a document}",
  "category.created": "Added the category {name}",
  "category.updated": "Renamed the category {from} to {name}",
  "category.deleted": "Deleted the category {name}",
  "batch.created": "Added several documents",
  "batch.cancelled": "Canceled a batch of documents",
  "embedding.agreed": "Allowed {provider} to embed documents",
  "embedding.postponed": "Postponed embedding documents with {provider}",
  "index.built": "Completed an index with {chunks} chunks",
  "index.switched": "Switched search to an index with {chunks} chunks",
  "index.cancelled": "Canceled an index build",
  "index.rebuild": "Started rebuilding the search index",
  "retrieval_question.created": "Added a question to the retrieval check",
  "retrieval_question.updated": "Changed a question in the retrieval check",
  "retrieval_question.deleted": "Deleted a question from the retrieval check",
  "retrieval_check.started": "Started a retrieval check",
  "retrieval_check.stopped": "Stopped a retrieval check",
  "retrieval_check.finished": "Completed a retrieval check with {questions} questions",
  "persona.created": "Created the persona {name}",
  "persona.updated": "Changed the persona {name}",
  "persona.deleted": "Deleted the persona {name}",
  "prompt.created": "Created the prompt {name}",
  "prompt.updated": "Changed the prompt {name}",
  "prompt.deleted": "Deleted the prompt {name}",
  "provider.created": "Added the provider {displayName|provider?}",
  "provider.updated": "Changed the provider {displayName|provider?}",
  "provider.deleted": "Deleted the provider {displayName|provider?}",
  "model.added": "Added the model {model}",
  "model.updated": "Changed the model {model}",
  "model.removed": "Removed the model {model}",
  "models.discovered": "Refreshed the lists of the model hubs",
  "comparison.created": "Started a comparison of models",
  "comparison.stopped": "Stopped a comparison of models",
  "comparison.deleted": "Deleted a comparison of models",
  "extension.installed": "Installed the extension {title}",
  "extension.uninstalled": "Uninstalled the extension {title}",
  "extension.agreed": "Accepted the permissions of the extension {title}",
  "extension.enabled": "Enabled {title?an extension}",
  "extension.disabled": "Disabled {title?an extension}",
  "extension.updated": "Changed the settings of the extension {title}",
  "extension.rated": "Rated the extension {title}",
  "extension.server_added": "Added the MCP server {title}",
  "extension.server_connected": "Connected the MCP server {title} to an account",
  "extension.server_disconnected": "Disconnected the MCP server {title} from its account",
  "extension.prompt_used": "Used the prompt {prompt} of the extension {title}",
  "extension.tools_updated": "Changed the allowed tools of the extension {title}",
  "user.created": "Set up the console as owner",
  "user.login": "Signed in",
  "user.login_failed": "Failed to sign in",
  "user.logout": "Signed out",
  "user.updated": "Changed their profile",
  "user.password_changed": "Changed their password",
  "user.sign_in_replaced": "Replaced their sign-in method",
  "member.invited": "Invited {email} as {role}",
  "member.link_created": "Created a sign-in link for {email}",
  "member.joined": "Joined the organization",
  "member.requested": "Requested to join the organization",
  "member.admitted": "Admitted a member as {role}",
  "member.declined": "Declined the request of {email}",
  "member.role_changed": "Changed a member's role from {from} to {to}",
  "member.suspended": "Suspended the member {email}",
  "member.resumed": "Resumed the member {email}",
  "member.removed": "Removed the member {email}",
  "member.left": "Left the organization ({email})",
  "member.data_deleted": "Deleted a removed member's {what} ({count})",
  "member.data_transferred": "Transferred a removed member's {what} ({count})",
  "group.created": "Created the group {name}",
  "group.renamed": "Renamed the group {from} to {name}",
  "group.members_changed": "Changed the members of the group {name}",
  "group.deleted": "Deleted the group {name}",
  "api_token.created": "Created the API token {name}",
  "api_token.revoked": "Revoked the API token {name}",
  "api_key.created": "Added the key reference {alias}",
  "api_key.updated": "Changed where the key {alias} is sent",
  "api_key.deleted": "Deleted the key reference {alias}",
  "kv.set": "Set a value in the key-value store",
  "tool.called": "Called the tool {tool}",
  "tool.policy_changed": "Changed the approval policy of the tool {tool}",
  "job.retried": "Retried the background job {kind}",
  "job.cancelled": "Canceled the background job {kind}",
  "audit.exported": "Exported the audit log as {format}",
  "audit.verified": "Verified the audit trail",
  "audit.accepted": "Accepted the audit trail as complete",
  "audit.sealed": "Sealed the audit trail up to entry {upTo}",
  "audit.dropped": "Dropped the sealed audit entries up to entry {upTo}",
  "errors.cleared": "Cleared the error reports",
  "budget.created": "Created the budget for {name}",
  "budget.updated": "Updated the budget for {name}",
  "budget.deleted": "Deleted the budget for {name}",
  "budget.exception_granted": "Granted {amount} beyond the budget for {name} until {until}",
  "cache.cleared": "Cleared the cache ({cleared})",
  "settings.updated": "Changed settings",
  "egress.updated": "Changed the allowed private hosts",
  "backup.requested": "Started a backup",
  "backup.created": "Created the backup {name}",
  "backup.downloaded": "Downloaded the backup {name}",
  "backup.uploaded": "Uploaded the backup {name}",
  "backup.deleted": "Deleted the backup {name}",
  "restore.requested": "Started restoring the backup {name}",
  "backup.restored": "Restored the backup {name} of {createdAt}",
  "check.requested": "Started a check of the database",
  "compaction.requested": "Started compacting the database",
} as const satisfies Readonly<Record<string, string>>;

export type AuditAction = keyof typeof auditSentences;

type DetailValue = string | number;

type Placeholder<P extends string> = P extends `${infer Names}?${string}`
  ? { readonly [N in Split<Names>]?: DetailValue | undefined }
  : { readonly [N in P]: DetailValue };
type Split<Names extends string> = Names extends `${infer First}|${infer Rest}` ? First | Split<Rest> : Names;

/** The details that a sentence names. */
type DetailsNamedIn<Sentence extends string> = Sentence extends `${string}{${infer P}}${infer Rest}`
  ? Placeholder<P> & DetailsNamedIn<Rest>
  : unknown;

/** Undefined if a required detail is missing. */
export function fillSentence(
  sentence: string,
  details: Readonly<Record<string, unknown>>,
): string | undefined {
  let complete = true;
  const filled = sentence.replace(/\{([\w|]+)(\?[^}]*)?\}/g, (_, names: string, otherwise?: string) => {
    const value = names
      .split("|")
      .map((name) => details[name])
      .find((one) => (typeof one === "string" && one !== "") || typeof one === "number");
    if (value === undefined && otherwise === undefined) complete = false;
    return String(value ?? otherwise?.slice(1) ?? "");
  });
  return complete ? filled.replace(/ {2,}/g, " ").trim() : undefined;
}

/** The details that an action's sentence names. */
export type AuditDetails<A extends AuditAction> = A extends AuditAction
  ? DetailsNamedIn<(typeof auditSentences)[A]>
  : never;
