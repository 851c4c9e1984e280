import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { childOf, createdAt, id, updatedAt } from "./columns";
import { orgId, users } from "./people";

interface PluginConsent {
  version: string;
  hosts: string[];
  keys: string[];
  effects: string[];
  agreedBy: string;
  agreedAt: number;
}

export const pluginInstallations = sqliteTable(
  "plugin_installations",
  {
    id: id(),
    orgId: orgId(),
    pluginId: text("plugin_id").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    consent: text("consent", { mode: "json" }).notNull().$type<PluginConsent>(),
    settings: text("settings", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    installs: integer("installs").notNull(),
    installedAt: integer("installed_at").notNull(),
    updatedAt: updatedAt(),
    removedAt: integer("removed_at"),
  },
  (table) => [
    uniqueIndex("plugin_installations_plugin").on(table.orgId, table.pluginId),
    index("plugin_installations_removed").on(table.removedAt),
  ],
);

export const pluginRatings = sqliteTable(
  "plugin_ratings",
  {
    orgId: orgId(),
    pluginId: text("plugin_id").notNull(),
    userId: childOf("user_id", () => users.id),
    stars: integer("stars").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.pluginId, table.userId] })],
);

interface McpKey {
  name: string;
  keyId: string;
  prefix: string;
}

interface McpTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  hash: string;
  reads?: true;
  /** Why it can't be allowed. */
  unsupported?: string;
  /** Why its inputs aren't checked before a call. */
  unchecked?: string;
}

interface McpPrompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
}

interface McpResource {
  uri: string;
  name: string;
  description: string;
  mediaType: string;
  template: boolean;
}

interface McpDecision {
  allowed: boolean;
  tool: McpTool;
}

export const mcpServers = sqliteTable(
  "mcp_servers",
  {
    id: id(),
    orgId: orgId(),
    title: text("title").notNull(),
    transport: text("transport", { enum: ["http", "command"] }).notNull(),
    target: text("target").notNull(),
    keys: text("keys", { mode: "json" }).notNull().$type<McpKey[]>(),
    tools: text("tools", { mode: "json" }).notNull().$type<McpTool[]>(),
    prompts: text("prompts", { mode: "json" }).notNull().default([]).$type<McpPrompt[]>(),
    resources: text("resources", { mode: "json" }).notNull().default([]).$type<McpResource[]>(),
    usesOAuth: integer("uses_oauth", { mode: "boolean" }).notNull().default(false),
    /** Whether all calls use one account, or each person's their own. */
    accounts: text("accounts", { enum: ["shared", "personal"] })
      .notNull()
      .default("shared"),
    /** The OAuth client that an admin registered by hand; the secret's key reference may be blank. */
    client: text("client", { mode: "json" }).$type<{ clientId: string; keyId: string }>(),
    /** Of the shared account: OAuth client registration and tokens, sealed with a key outside the database. */
    credentials: text("credentials"),
    decisions: text("decisions", { mode: "json" }).notNull().$type<Record<string, McpDecision>>(),
    server: text("server", { mode: "json" }).$type<{ name: string; version: string; protocol: string }>(),
    checkedAt: integer("checked_at"),
    error: text("error"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("mcp_servers_org").on(table.orgId)],
);

/** Accounts of persons at servers whose `accounts` are personal. */
export const mcpAccounts = sqliteTable(
  "mcp_accounts",
  {
    orgId: orgId(),
    serverId: childOf("server_id", () => mcpServers.id),
    userId: childOf("user_id", () => users.id),
    /** As those of the server. */
    credentials: text("credentials").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.serverId, table.userId] }),
    index("mcp_accounts_user").on(table.userId),
  ],
);

/** Cache of the catalog at PLUGIN_CATALOG_URL. */
export const pluginCatalogs = sqliteTable("plugin_catalogs", {
  url: text("url").primaryKey(),
  entries: text("entries", { mode: "json" }).notNull().$type<unknown[]>(),
  skipped: text("skipped", { mode: "json" }).notNull().$type<string[]>(),
  problem: text("problem"),
  checkedAt: integer("checked_at").notNull(),
});
