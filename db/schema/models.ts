import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt } from "./columns";
import { orgId } from "./people";

export const providers = sqliteTable(
  "providers",
  {
    id: id(),
    orgId: orgId(),
    type: text("type").notNull(),
    displayName: text("display_name").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    config: text("config", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    /** The provider's last model list: ids, or objects of an id and the model's data. */
    models: text("models", { mode: "json" }).notNull().$type<unknown[]>(),
    modelsAt: integer("models_at"),
    /** Lower ones come first where the policy is priority; equals by age. */
    priority: integer("priority").notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("providers_org").on(table.orgId, table.createdAt)],
);

/** What an admin set about a model: added, hidden, recommended, another price, how calls for it are routed. */
export const modelSettings = sqliteTable(
  "model_settings",
  {
    orgId: orgId(),
    modelId: text("model_id").notNull(),
    /** Offered although no provider lists it: `custom`, or the hub it was discovered on. Null for a listed one. */
    source: text("source"),
    /** Type of the provider that serves an added model. */
    providerType: text("provider_type"),
    name: text("name"),
    description: text("description"),
    maxTokens: integer("max_tokens"),
    /** US dollars per 1,000 tokens; null leaves the catalogue's price. */
    inputCost: real("input_cost"),
    outputCost: real("output_cost"),
    capabilities: text("capabilities", { mode: "json" }).$type<string[]>(),
    downloads: integer("downloads"),
    hidden: integer("hidden", { mode: "boolean" }).notNull().default(false),
    /** Null leaves it to the catalogue. */
    recommended: integer("recommended", { mode: "boolean" }),
    /** How calls are routed (models.schema, ModelRouting); null for the organisation's policy. */
    routing: text("routing", { mode: "json" }).$type<Record<string, unknown>>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.modelId] })],
);

/** What the public model hubs listed when they were last asked. */
export const discoveredModels = sqliteTable(
  "discovered_models",
  {
    orgId: orgId(),
    hub: text("hub", { enum: ["huggingface", "openrouter"] }).notNull(),
    modelId: text("model_id").notNull(),
    position: integer("position").notNull(),
    /** Name, description, context, cost, capabilities, downloads (models.schema, DiscoveredModel). */
    facts: text("facts", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    /** Whether these are the built-in ones that stand in for a hub that couldn't be reached. */
    fallback: integer("fallback", { mode: "boolean" }).notNull().default(false),
    fetchedAt: integer("fetched_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.hub, table.modelId] })],
);

/** A key reference: the name of an environment variable and the one origin its value may be sent to. */
export const keyReferences = sqliteTable(
  "key_references",
  {
    id: id(),
    orgId: orgId(),
    provider: text("provider").notNull(),
    alias: text("alias").notNull(),
    origin: text("origin"),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("key_references_alias").on(table.orgId, table.provider, table.alias)],
);

/**
 * The version of each part of the configuration: `models` for providers, models' settings and keys, `budgets` for
 * budgets and the members of groups, `settings:<key>` for a row of the organisation's settings. A change sets it to one
 * more than the highest, so that the maximum of several shows whether any of them changed. Triggers write it, so that no
 * writer can forget to (core/config-cache).
 */
export const configTopics = sqliteTable("config_topics", {
  topic: text("topic").primaryKey(),
  version: integer("version").notNull(),
});
