import { z } from "zod";
import type { Actor } from "~/core/actor";
import { type Env, env, isFromEnvFile, readReferencedSecret } from "~/core/env.server";
import { authorise } from "~/platform/rights/authorization.server";
import { listKeyReferences } from "~/team/keys/keys.service.server";
import { KEY_PROVIDER_LABELS, WELL_KNOWN_KEYS } from "~/team/keys/keys.shared";

/** Never includes the value. */
export const EnvironmentEntry = z.object({
  name: z.string(),
  description: z.string(),
  required: z.boolean().describe("Whether the current configuration requires it"),
  present: z.boolean(),
  source: z
    .enum(["environment", "file", "generated", "default", "none"])
    .describe("Source of the value: `file` is .env, `generated` a file in the data folder"),
  masked: z.string().describe("A fixed row of bullets when present, empty otherwise"),
});
export type EnvironmentEntry = z.infer<typeof EnvironmentEntry>;

const BULLETS = "••••••••";

/** Typed, so that every variable needs a description. */
const DESCRIPTIONS: Record<keyof Env, string> = {
  NODE_ENV: "production, development or test",
  PORT: "Port to listen on; 3000 by default",
  HOST: "Network address to listen on; all by default",
  PUBLIC_URL: "Public address, used for links and OAuth",
  TRUST_PROXY: "Number of reverse proxies in front of the server",
  DATA_DIR: "Folder for the database, its secrets and snapshots",
  DATA_DIR_ALLOW_NETWORK: "Starts also on a file system without reliable locks, such as NFS",
  LOG_LEVEL: "Log level",
  SESSION_SECRET: "Secret for signed cookies and links; generated on the first start if not set",
  AUDIT_KEY: "Key for the audit trail's signatures; generated on the first start if not set",
  SEALING_KEY: "Key for stored tokens and authenticator apps; generated on first use if not set",
  PUSH_KEY: "Key for push notifications; generated on first use if not set",
  REPLACE_KEYS: "Lost secrets that a start may replace",
  DATABASE_REQUIRED: "Refuses to start without a database",
  STANDBY: "Starts a restored copy that works on nothing until an owner takes over",
  LITESTREAM_URL: "Address of the replica to which Litestream sends the databases",
  FILES_S3_ENDPOINT: "S3-compatible storage for copies of attachments and run outputs",
  FILES_S3_BUCKET: "Bucket of these copies, with a folder after a slash",
  FILES_S3_REGION: "Region of that storage; us-east-1 by default",
  FILES_S3_ACCESS_KEY_ID: "Access key of that storage",
  FILES_S3_SECRET_ACCESS_KEY: "Secret of that access key",
  OWNER_EMAIL: "Email of the first owner, created without a browser",
  OWNER_PASSWORD: "Password of the first owner",
  OAUTH_ISSUER: "OAuth 2.0 or OpenID Connect provider for sign-in",
  OAUTH_CLIENT_ID: "Client ID at the sign-in provider",
  OAUTH_CLIENT_SECRET: "Client secret, if the sign-in provider requires one",
  OAUTH_SCOPES: "Scopes requested from the sign-in provider",
  OAUTH_ALLOWED_DOMAINS: "Email domains whose users can join without approval",
  OAUTH_ALLOWED_GROUPS: "Groups whose users can join without approval",
  OAUTH_GROUPS_CLAIM: "Claim that lists a user's groups",
  OAUTH_ROLE_MAP: "Roles by group, applied at each sign-in",
  EGRESS_ALLOW: "Private hosts and networks the console can reach",
  OLLAMA_URL: "Ollama address to detect and offer as a provider",
  HUGGINGFACE_HUB_URL: "Hugging Face mirror for Discover Models",
  OPENROUTER_HUB_URL: "OpenRouter mirror for Discover Models",
  QDRANT_URL: "Qdrant server for document vectors",
  QDRANT_COLLECTION: "Options of new collections in Qdrant",
  SMTP_URL: "Mail server for workflows and notifications",
  SMTP_FROM: "Sender address of emails",
  OTEL_EXPORTER_OTLP_ENDPOINT: "OpenTelemetry collector for traces; http://localhost:4318 by default",
  OTEL_EXPORTER_OTLP_HEADERS: "Headers for the collector, such as its key",
  OTEL_SERVICE_NAME: "Service name in traces; ai-console by default",
  DOCUMENT_MEMORY_MB: "Memory limit of each document reader process, in MB; 768 by default",
  KEY_REFERENCES: "Additional variables that can be used as keys",
  PLUGIN_CATALOG_URL: "JSON catalog whose plugins are listed in the marketplace",
  DATABASE_ALLOW_SUPERUSER: "Lets workflows and plugins query as a PostgreSQL superuser",
  SOURCE_FOLDERS: "Folders that admins may keep as documents",
  MCP_COMMANDS: "Local commands that admins may add as MCP servers",
};

function isRequired(name: string, values: Env): boolean {
  if (name === "OAUTH_CLIENT_ID") return Boolean(values.OAUTH_ISSUER);
  if (name === "OWNER_PASSWORD") return Boolean(values.OWNER_EMAIL);
  if (name === "OWNER_EMAIL") return Boolean(values.OWNER_PASSWORD);
  return false;
}

/** Generated at first start if unset. */
const GENERATED = new Set(["SESSION_SECRET", "AUDIT_KEY", "SEALING_KEY", "PUSH_KEY"]);

function sourceOf(name: string, present: boolean, values: Env): EnvironmentEntry["source"] {
  if (present) return isFromEnvFile(name) ? "file" : "environment";
  if (GENERATED.has(name)) return "generated";
  return (values as Record<string, unknown>)[name] === undefined ? "none" : "default";
}

function entry(name: string, description: string, required: boolean): EnvironmentEntry {
  const present = readReferencedSecret(name) !== undefined;
  const source = sourceOf(name, present, env());
  return { name, description, required, present, source, masked: present ? BULLETS : "" };
}

/**
 * Known variables: the console's own, common providers' keys and referenced keys (required), each with whether it is
 * set.
 */
export function readEnvironment(actor: Actor): EnvironmentEntry[] {
  authorise(actor, "settings.manage");
  const values = env();
  const referenced = new Map(
    listKeyReferences(actor).map((key) => [key.alias, KEY_PROVIDER_LABELS[key.provider]]),
  );
  const own = Object.entries(DESCRIPTIONS).map(([name, description]) =>
    entry(name, description, isRequired(name, values)),
  );
  const usual = Object.entries(WELL_KNOWN_KEYS).map(([name, { kind }]) =>
    entry(name, `API key for ${KEY_PROVIDER_LABELS[kind]}`, referenced.has(name)),
  );
  const others = [...referenced]
    .filter(([name]) => !(name in WELL_KNOWN_KEYS) && !(name in DESCRIPTIONS))
    .map(([name, label]) => entry(name, `Referenced key: ${label}`, true));
  return [...own, ...usual, ...others];
}
