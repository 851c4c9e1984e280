import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt } from "./columns";
import { orgId, users } from "./people";

/** What an admin agreed to: everything that the plugin's manifest asked for then. */
interface PluginConsent {
  version: string;
  hosts: string[];
  keys: string[];
  effects: string[];
  agreedBy: string;
  agreedAt: number;
}

/** One row for each plugin that was ever installed; `removedAt` is set while it isn't. */
export const pluginInstallations = sqliteTable(
  "plugin_installations",
  {
    id: id(),
    orgId: orgId(),
    pluginId: text("plugin_id").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    consent: text("consent", { mode: "json" }).notNull().$type<PluginConsent>(),
    /** Values of the manifest's settings; keys by the ids of their references. */
    settings: text("settings", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    /** How often it was installed here. */
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
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    stars: integer("stars").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.pluginId, table.userId] })],
);

/** A header or environment variable whose value is a key reference. */
interface McpKey {
  name: string;
  keyId: string;
  /** Text before the key, such as "Bearer ". */
  prefix: string;
}

/** A tool as its server described it. */
interface McpTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** Over name, description and schema. */
  hash: string;
  /** Reads the server's resources: made here, not listed by the server. */
  reads?: true;
}

/** A prompt that a server offers to people. */
interface McpPrompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
}

/** Something that a server lets be read; `uri` is a template with `{names}` where `template` is set. */
interface McpResource {
  uri: string;
  name: string;
  description: string;
  mediaType: string;
  template: boolean;
}

/** What an admin decided about a tool, bound to what they saw. */
interface McpDecision {
  allowed: boolean;
  tool: McpTool;
}

/** MCP servers that admins added; each is a plugin of the same id. */
export const mcpServers = sqliteTable(
  "mcp_servers",
  {
    id: id(),
    orgId: orgId(),
    title: text("title").notNull(),
    transport: text("transport", { enum: ["http", "command"] }).notNull(),
    /** The address, or the allowed command's name. */
    target: text("target").notNull(),
    keys: text("keys", { mode: "json" }).notNull().$type<McpKey[]>(),
    /** The tools that the server listed last. */
    tools: text("tools", { mode: "json" }).notNull().$type<McpTool[]>(),
    prompts: text("prompts", { mode: "json" }).notNull().default([]).$type<McpPrompt[]>(),
    resources: text("resources", { mode: "json" }).notNull().default([]).$type<McpResource[]>(),
    /** Whether it asks for a sign-in by OAuth. */
    usesOAuth: integer("uses_oauth", { mode: "boolean" }).notNull().default(false),
    /** Client registration and tokens of a sign-in by OAuth, sealed with a key that isn't in the database. */
    credentials: text("credentials"),
    /** By tool name. */
    decisions: text("decisions", { mode: "json" }).notNull().$type<Record<string, McpDecision>>(),
    /** The server's name, version and the protocol's revision as of the last check. */
    server: text("server", { mode: "json" }).$type<{ name: string; version: string; protocol: string }>(),
    checkedAt: integer("checked_at"),
    error: text("error"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("mcp_servers_org").on(table.orgId)],
);

/** The catalog at PLUGIN_CATALOG_URL as it was read last, by its address. */
export const pluginCatalogs = sqliteTable("plugin_catalogs", {
  url: text("url").primaryKey(),
  /** Parsed again when they are read. */
  entries: text("entries", { mode: "json" }).notNull().$type<unknown[]>(),
  /** Entries that were left out, with the reason. */
  skipped: text("skipped", { mode: "json" }).notNull().$type<string[]>(),
  /** Why the last reading failed. */
  problem: text("problem"),
  checkedAt: integer("checked_at").notNull(),
});
