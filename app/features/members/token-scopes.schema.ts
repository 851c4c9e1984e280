/** How long a token may last, in days. */
export const TOKEN_DAYS_MAX = 365;

/** How many models a token can be limited to by name. */
export const TOKEN_MODELS_MAX = 100;

/** The highest limit on calls that a token can have of its own. */
export const TOKEN_RATE_MAX = 100_000;

/** What a person reads of each scope. */
export const SCOPE_LABELS: Record<string, string> = {
  "screens.read": "Read the screens' data",
  "profile.write": "Change my profile and sessions",
  "preferences.write": "Change my preferences",
  "tokens.manage": "List and revoke my API tokens",
  "audit.own": "Read my own audit entries",
  "documents.search": "Search documents",
  "chat.use": "Chat with models",
  "gateway.use": "Call models through the gateway",
  "personas.write": "Edit personas",
  "documents.write": "Ingest documents",
  "workflows.write": "Create, edit and run workflows",
  "providers.manage": "Manage providers and models",
  "keys.manage": "Manage key references",
  "members.manage": "Manage members",
  "settings.manage": "Change the organisation's settings",
  "plugins.manage": "Install and configure plugins",
  "audit.all": "Read the whole audit log",
  "owners.manage": "Make and remove owners",
  "egress.manage": "Change the egress policy",
  "keys.origin": "Change where a key is sent",
  "backup.manage": "Back up and restore",
  "safeguards.disable": "Turn off CSP and the audit log",
};
