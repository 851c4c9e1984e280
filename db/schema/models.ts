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
    /** The last model list: ids, or objects with an id and the model's data. */
    models: text("models", { mode: "json" }).notNull().$type<unknown[]>(),
    modelsAt: integer("models_at"),
    priority: integer("priority").notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("providers_org").on(table.orgId, table.createdAt)],
);

export const modelSettings = sqliteTable(
  "model_settings",
  {
    orgId: orgId(),
    modelId: text("model_id").notNull(),
    /** `custom`, or the hub it was discovered on. Null for a model that a provider lists. */
    source: text("source"),
    providerType: text("provider_type"),
    name: text("name"),
    description: text("description"),
    maxTokens: integer("max_tokens"),
    /** US dollars per 1,000 tokens; null for the catalog's price. */
    inputCost: real("input_cost"),
    outputCost: real("output_cost"),
    /** US dollars per 1,000 search units of a reranker; null if they have no price of their own. */
    searchUnitCost: real("search_unit_cost"),
    /** US dollars per image that is made; null as above. */
    imageCost: real("image_cost"),
    /** US dollars per minute of audio, and per million characters that are read aloud; null as above. */
    audioMinuteCost: real("audio_minute_cost"),
    characterCost: real("character_cost"),
    capabilities: text("capabilities", { mode: "json" }).$type<string[]>(),
    downloads: integer("downloads"),
    hidden: integer("hidden", { mode: "boolean" }).notNull().default(false),
    recommended: integer("recommended", { mode: "boolean" }),
    routing: text("routing", { mode: "json" }).$type<Record<string, unknown>>(),
    /** Groups whose members, and admins, may call it; null for everyone. Deleted groups stay, so that none opens it. */
    groups: text("groups", { mode: "json" }).$type<string[]>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.modelId] })],
);

/** What a provider refused in calls of a model, until its list is read again. */
export const modelRefusals = sqliteTable(
  "model_refusals",
  {
    orgId: orgId(),
    providerId: text("provider_id")
      .notNull()
      .references(() => providers.id, { onDelete: "cascade" }),
    modelId: text("model_id").notNull(),
    /** One of `CALL_FEATURES`, or `tool:` and the name of one tool on the wire. */
    feature: text("feature").notNull(),
    /** The provider's words, of a tool. */
    reason: text("reason"),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.providerId, table.modelId, table.feature] })],
);

export const discoveredModels = sqliteTable(
  "discovered_models",
  {
    orgId: orgId(),
    hub: text("hub", { enum: ["huggingface", "openrouter"] }).notNull(),
    modelId: text("model_id").notNull(),
    position: integer("position").notNull(),
    facts: text("facts", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    /** Whether it is built in, because the hub wasn't reachable. */
    fallback: integer("fallback", { mode: "boolean" }).notNull().default(false),
    fetchedAt: integer("fetched_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.hub, table.modelId] })],
);

/** A key reference: an environment variable and the one origin its value may be sent to. */
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

/** A version per configuration topic (see core/config-cache). Changes increment it. */
export const configTopics = sqliteTable("config_topics", {
  topic: text("topic").primaryKey(),
  version: integer("version").notNull(),
});
