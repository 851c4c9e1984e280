import type { Actor } from "~/core/actor";
import { type Env, env, readReferencedSecret } from "~/core/env.server";
import { KEY_PROVIDER_LABELS, WELL_KNOWN_KEYS } from "~/features/keys/key-providers.schema";
import { listKeys } from "~/features/keys/keys.service.server";
import { authorise } from "~/features/members/authorisation.server";
import type { EnvironmentEntry } from "./environment.schema";

const BULLETS = "••••••••";

/** What each variable is for. The type makes a new variable of the schema ask for its line here. */
const DESCRIPTIONS: Record<keyof Env, string> = {
  NODE_ENV: "production, development or test",
  PORT: "The port to answer on; 3000 by default",
  HOST: "The address to listen on; all of them by default",
  PUBLIC_URL: "The address people use, for links and OAuth",
  TRUST_PROXY: "How many reverse proxies stand in front",
  DATA_DIR: "The folder that holds the database, its secrets and snapshots",
  LOG_LEVEL: "How much is logged",
  SESSION_SECRET: "Signs what is handed to the browser; made on the first start when unset",
  AUDIT_KEY: "The key of the audit trail's chain; made on the first start when unset",
  OWNER_EMAIL: "Makes the first owner without a browser",
  OWNER_PASSWORD: "The first owner's password",
  OAUTH_ISSUER: "The OAuth 2.0 or OpenID Connect provider people sign in at",
  OAUTH_CLIENT_ID: "The console's client id at that provider",
  OAUTH_CLIENT_SECRET: "The client's secret, where the provider wants one",
  OAUTH_SCOPES: "What is asked of the provider",
  OAUTH_ALLOWED_DOMAINS: "Mail domains whose people join by themselves",
  OAUTH_ALLOWED_GROUPS: "Groups whose people join by themselves",
  OAUTH_GROUPS_CLAIM: "The claim that lists a person's groups",
  OAUTH_ROLE_MAP: "The roles that groups give",
  EGRESS_ALLOW: "Private hosts and networks that may be reached beside the public internet",
  OLLAMA_URL: "Where an Ollama is looked for, to be offered as a provider",
  HUGGINGFACE_HUB_URL: "Mirror of Hugging Face that Discover Models asks",
  OPENROUTER_HUB_URL: "Mirror of OpenRouter that Discover Models asks",
  QDRANT_URL: "The Qdrant that documents' vectors are searched in where the settings say so",
  SMTP_URL: "The mail server of the workflow step Send Email",
  SMTP_FROM: "The sender's address of workflow emails",
  DOCUMENT_MEMORY_MB: "Hard limit on the memory of each process that reads documents; 768 by default",
  KEY_REFERENCES: "Further variables that may be referenced as keys",
};

/** Which variables need another one, given what is set. */
function isRequired(name: string, values: Env): boolean {
  if (name === "OAUTH_CLIENT_ID") return Boolean(values.OAUTH_ISSUER);
  if (name === "OWNER_PASSWORD") return Boolean(values.OWNER_EMAIL);
  if (name === "OWNER_EMAIL") return Boolean(values.OWNER_PASSWORD);
  return false;
}

function entry(name: string, description: string, required: boolean): EnvironmentEntry {
  const present = readReferencedSecret(name) !== undefined;
  return { name, description, required, present, masked: present ? BULLETS : "" };
}

/**
 * The environment as far as the console knows it: its own variables, the usual providers' keys, and those that are
 * referenced, each with whether it is set. A referenced key is required, since what refers to it can't work without.
 */
export function readEnvironment(actor: Actor): EnvironmentEntry[] {
  authorise(actor, "settings.manage");
  const values = env();
  const referenced = new Map(listKeys(actor).map((key) => [key.alias, KEY_PROVIDER_LABELS[key.provider]]));
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
