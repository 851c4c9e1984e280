import { sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

// Times are milliseconds since the epoch, money is millionths of a US dollar, JSON columns are parsed by their
// feature's schema when read. Ids are opaque (core/ids).

const id = () => text("id").primaryKey();
const orgId = () =>
  text("org_id")
    .notNull()
    .references(() => organisations.id);
const createdAt = () => integer("created_at").notNull();
const updatedAt = () => integer("updated_at").notNull();

export const organisations = sqliteTable("organisations", {
  id: id(),
  name: text("name").notNull(),
  createdAt: createdAt(),
});

/** One-time links that make the first owner. */
export const setupLinks = sqliteTable("setup_links", {
  secretHash: text("secret_hash").primaryKey(),
  createdAt: createdAt(),
});

export const users = sqliteTable(
  "users",
  {
    id: id(),
    orgId: orgId(),
    email: text("email").notNull(),
    firstName: text("first_name"),
    lastName: text("last_name"),
    profileImageUrl: text("profile_image_url"),
    role: text("role", { enum: ["viewer", "member", "admin", "owner"] }).notNull(),
    /** `waiting` asked to join through OAuth and isn't admitted yet; `invited` hasn't opened the link yet. */
    status: text("status", { enum: ["active", "waiting", "invited", "removed"] }).notNull(),
    /** argon2id in PHC form; null for people who only sign in through OAuth. */
    passwordHash: text("password_hash"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("users_org").on(table.orgId, table.createdAt),
    index("users_email").on(table.email),
    // A password belongs to one account only; OAuth accounts may share an address, which proves nothing there.
    uniqueIndex("users_password_email").on(table.orgId, table.email).where(sql`password_hash is not null`),
  ],
);

/** An OAuth identity is (issuer, subject), never an e-mail address. */
export const identities = sqliteTable(
  "identities",
  {
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    index("identities_user").on(table.userId),
  ],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: id(),
    /** Hash of the opaque value in the cookie. */
    secretHash: text("secret_hash").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The model chosen for this browser session. */
    model: text("model"),
    /** Kept for the provider's end_session. */
    idToken: text("id_token"),
    userAgent: text("user_agent"),
    address: text("address"),
    createdAt: createdAt(),
    lastSeenAt: integer("last_seen_at").notNull(),
    /** The absolute end, whatever happens. */
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [uniqueIndex("sessions_secret").on(table.secretHash), index("sessions_user").on(table.userId)],
);

/** Failed sign-ins by account and by address, for the limit on tries. */
export const signInFailures = sqliteTable("sign_in_failures", {
  subject: text("subject").primaryKey(),
  failures: integer("failures").notNull(),
  windowStart: integer("window_start").notNull(),
});

/** One-time links that let a named person in: they choose a password or bring their OAuth identity. */
export const invitations = sqliteTable("invitations", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  secretHash: text("secret_hash").notNull().unique(),
  createdAt: createdAt(),
  expiresAt: integer("expires_at").notNull(),
});

/** Addresses an account has signed in from: strangers' tries never shut these out. */
export const knownAddresses = sqliteTable(
  "known_addresses",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    addressHash: text("address_hash").notNull(),
    lastAt: integer("last_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.addressHash] })],
);

export const apiTokens = sqliteTable(
  "api_tokens",
  {
    id: id(),
    orgId: orgId(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    secretHash: text("secret_hash").notNull(),
    /** The first characters, so that a person recognises it. */
    prefix: text("prefix").notNull(),
    role: text("role", { enum: ["viewer", "member", "admin", "owner"] }).notNull(),
    scopes: text("scopes", { mode: "json" }).notNull().$type<string[]>(),
    createdAt: createdAt(),
    expiresAt: integer("expires_at"),
    lastUsedAt: integer("last_used_at"),
    /** The models it may call through the gateway; null for all. */
    models: text("models", { mode: "json" }).$type<string[]>(),
    /** Calls to the gateway in any 60 seconds; null for no limit of its own. */
    requestsPerMinute: integer("requests_per_minute"),
  },
  (table) => [
    uniqueIndex("api_tokens_secret").on(table.secretHash),
    index("api_tokens_user").on(table.userId),
  ],
);

/** The audit trail: each row's HMAC covers the row and the row before it. Rows are only ever appended. */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull(),
    orgId: text("org_id").notNull(),
    userId: text("user_id").notNull(),
    action: text("action").notNull(),
    resource: text("resource").notNull(),
    details: text("details", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    requestId: text("request_id"),
    createdAt: createdAt(),
    mac: text("mac").notNull(),
  },
  (table) => [
    uniqueIndex("audit_entries_id").on(table.id),
    index("audit_entries_org").on(table.orgId, table.createdAt),
    index("audit_entries_user").on(table.orgId, table.userId, table.createdAt),
  ],
);

/** What belongs to one person. */
export const userSettings = sqliteTable("user_settings", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  preferredModel: text("preferred_model"),
  theme: text("theme", { enum: ["dark", "light", "auto"] }),
  updatedAt: updatedAt(),
});

/** What belongs to the organisation, a JSON document per group (`rag`, `branding`, `advanced`…). */
export const orgSettings = sqliteTable(
  "org_settings",
  {
    orgId: orgId(),
    key: text("key").notNull(),
    value: text("value", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.key] })],
);

export const providers = sqliteTable(
  "providers",
  {
    id: id(),
    orgId: orgId(),
    type: text("type").notNull(),
    displayName: text("display_name").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    config: text("config", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    /** What the provider listed when it was last asked: ids, or objects of an id and what it told of the model. */
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

export const personas = sqliteTable(
  "personas",
  {
    id: id(),
    orgId: orgId(),
    name: text("name").notNull(),
    systemPrompt: text("system_prompt").notNull(),
    defaultModel: text("default_model").notNull(),
    mode: text("mode", { enum: ["default", "research", "operations", "development"] }).notNull(),
    tools: text("tools", { mode: "json" }).notNull().$type<string[]>(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex("personas_name").on(table.orgId, table.name)],
);

export const conversations = sqliteTable(
  "conversations",
  {
    id: id(),
    orgId: orgId(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    title: text("title").notNull(),
    model: text("model").notNull(),
    /** Persona, Max Steps and tools as last used, so that the form shows them again (chat.schema). */
    settings: text("settings", { mode: "json" }).notNull().default({}).$type<Record<string, unknown>>(),
    /** The id of the last stream event given out; ids increase over the whole conversation. */
    lastEventId: integer("last_event_id").notNull().default(0),
    /** The comparison it is a column of; null for a conversation of its own. */
    comparisonId: text("comparison_id").references((): AnySQLiteColumn => comparisons.id, {
      onDelete: "cascade",
    }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("conversations_user").on(table.orgId, table.userId, table.updatedAt),
    index("conversations_comparison").on(table.comparisonId),
  ],
);

/** One prompt put to several models side by side; each model's answer is a conversation. */
export const comparisons = sqliteTable(
  "comparisons",
  {
    id: id(),
    orgId: orgId(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    prompt: text("prompt").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("comparisons_user").on(table.orgId, table.userId, table.createdAt)],
);

export const messages = sqliteTable(
  "messages",
  {
    id: id(),
    conversationId: text("conversation_id")
      .notNull()
      .references(() => conversations.id, { onDelete: "cascade" }),
    position: integer("position").notNull(),
    role: text("role", { enum: ["user", "assistant"] }).notNull(),
    /** `complete` for a user's message; an answer runs through `streaming` to one of the others. */
    status: text("status", { enum: ["complete", "streaming", "stopped", "interrupted", "failed"] }).notNull(),
    /** Text, reasoning and tool-call parts in order (chat.schema). */
    parts: text("parts", { mode: "json" }).notNull().$type<unknown[]>(),
    model: text("model"),
    personaName: text("persona_name"),
    /** What a person is told when the answer failed. */
    error: text("error"),
    /** Tokens, cost and times of the whole answer (chat.schema). */
    metrics: text("metrics", { mode: "json" }).$type<Record<string, unknown>>(),
    /** Set when Regenerate replaced this answer: it is kept, but neither shown nor sent to a model. */
    supersededAt: integer("superseded_at"),
    createdAt: createdAt(),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    uniqueIndex("messages_position").on(table.conversationId, table.position),
    index("messages_status").on(table.status),
  ],
);

/** Groups of stream events as they arrived, until the answer is complete and its parts are written. */
export const answerEvents = sqliteTable(
  "answer_events",
  {
    messageId: text("message_id")
      .notNull()
      .references(() => messages.id, { onDelete: "cascade" }),
    firstId: integer("first_id").notNull(),
    lastId: integer("last_id").notNull(),
    /** A JSON array of UI message stream chunks, one per id. */
    events: text("events").notNull(),
  },
  (table) => [primaryKey({ columns: [table.messageId, table.firstId] })],
);

/** One row per call to a model. */
export const usageRecords = sqliteTable(
  "usage_records",
  {
    id: id(),
    orgId: orgId(),
    userId: text("user_id").notNull(),
    conversationId: text("conversation_id"),
    messageId: text("message_id"),
    providerId: text("provider_id"),
    providerType: text("provider_type").notNull(),
    model: text("model").notNull(),
    /** Null where the provider told no figure: unknown is not zero. */
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    costMicros: integer("cost_micros"),
    firstTokenMs: integer("first_token_ms"),
    /** Null for a call that the server's own death cut off: nobody measured it. */
    durationMs: integer("duration_ms"),
    outcome: text("outcome", { enum: ["ok", "stopped", "interrupted", "error"] }).notNull(),
    errorCode: text("error_code"),
    /** What asked: the chat, a comparison, or a program through the gateway. */
    source: text("source", { enum: ["chat", "comparison", "gateway"] })
      .notNull()
      .default("chat"),
    tokenId: text("token_id"),
    /** Why the provider was chosen and every attempt (models.schema, RouteRecord). */
    route: text("route", { mode: "json" }).$type<Record<string, unknown>>(),
    createdAt: createdAt(),
  },
  (table) => [
    index("usage_records_org").on(table.orgId, table.createdAt),
    index("usage_records_provider").on(table.providerId, table.createdAt),
    // Holds all that the day's sums of a provider need.
    index("usage_records_sums").on(table.orgId, table.providerId, table.createdAt, table.costMicros),
  ],
);

/**
 * One row that counts the changes of what calls are made by: providers, models' settings, keys and the organisation's
 * settings. Triggers count, so that no writer can forget to; what is worked out from them is kept until it changes
 * (core/config-cache).
 */
export const configVersions = sqliteTable("config_versions", {
  id: integer("id").primaryKey(),
  version: integer("version").notNull(),
});

/** The key-value store of the tools kv.set and kv.get, shared by the organisation. */
export const kvEntries = sqliteTable(
  "kv_entries",
  {
    orgId: orgId(),
    key: text("key").notNull(),
    value: text("value").notNull(),
    updatedBy: text("updated_by").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.key] })],
);
