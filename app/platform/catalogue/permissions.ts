import type { Role } from "~/core/actor";

interface PermissionEntry {
  minRole: Role;
  scope: string;
  /** Sentence of a refusal, if the default one isn't enough. */
  refusal?: string;
}

const entries = {
  "screens.read": { minRole: "viewer", scope: "Read the screens' data" },
  "workflows.write": { minRole: "member", scope: "Create, edit and run workflows" },
  "chat.use": {
    minRole: "member",
    scope: "Chat with models",
    refusal: "Viewers can't chat with models. Ask an admin for the member role.",
  },
  "memories.use": { minRole: "viewer", scope: "Read and change what chats remember about me" },
  "documents.search": { minRole: "viewer", scope: "Search documents" },
  "documents.write": { minRole: "member", scope: "Ingest documents" },
  "sources.manage": { minRole: "admin", scope: "Manage document sources" },
  "personas.write": { minRole: "member", scope: "Edit personas" },
  "prompts.write": { minRole: "member", scope: "Edit prompts" },
  "evaluations.write": { minRole: "member", scope: "Create and run evaluations" },
  "providers.manage": { minRole: "admin", scope: "Manage providers and models" },
  "gateway.use": { minRole: "member", scope: "Call models through the gateway" },
  "plugins.manage": { minRole: "admin", scope: "Install and configure plugins" },
  "plugins.rate": { minRole: "member", scope: "Rate plugins" },
  "profile.write": { minRole: "viewer", scope: "Change my profile and sessions" },
  "tokens.manage": { minRole: "viewer", scope: "List and revoke my API tokens" },
  "members.manage": { minRole: "admin", scope: "Manage members" },
  "owners.manage": {
    minRole: "owner",
    scope: "Add and remove owners",
    refusal: "Only an owner can add or remove owners.",
  },
  "keys.manage": { minRole: "admin", scope: "Manage key references" },
  "keys.origin": {
    minRole: "owner",
    scope: "Change where a key is sent",
    refusal: "Only an owner can change where a key is sent.",
  },
  "usage.own": { minRole: "viewer", scope: "Read my own usage" },
  "usage.all": { minRole: "admin", scope: "Read the whole organization's usage" },
  "audit.own": { minRole: "viewer", scope: "Read my own audit entries" },
  "audit.all": { minRole: "admin", scope: "Read the whole audit log" },
  "budgets.manage": { minRole: "admin", scope: "Manage budgets" },
  "notifications.own": { minRole: "viewer", scope: "Read and mark my notifications" },
  "preferences.write": { minRole: "viewer", scope: "Change my preferences" },
  "settings.manage": { minRole: "admin", scope: "Change the organization's settings" },
  "egress.manage": { minRole: "owner", scope: "Change the egress policy" },
  "backup.manage": { minRole: "owner", scope: "Back up and restore" },
  "safeguards.disable": {
    minRole: "owner",
    scope: "Turn off CSP and the audit log",
    refusal: "Only owners can weaken safeguards or accept the audit trail.",
  },
  "widgets.manage": { minRole: "admin", scope: "Manage widgets and read what visitors asked them" },
  "metrics.read": { minRole: "admin", scope: "Read metrics" },
} as const satisfies Readonly<Record<string, PermissionEntry>>;

export type Permission = keyof typeof entries;

/** The authorization table: the lowest role of each permission, in the order of the tokens' dialog. */
export const permissions: Readonly<Record<Permission, PermissionEntry>> = entries;
