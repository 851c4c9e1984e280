import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { parseEnv as parseEnvFile } from "node:util";
import { z } from "zod";
import { ROLES, type Role } from "./actor";
import { AppError } from "./errors";

const text = z.string().trim().min(1);
/** Treats an empty variable as unset: compose files pass empty strings. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess(
    (value) => (typeof value === "string" && value.trim() === "" ? undefined : value),
    schema.optional(),
  );
const list = optional(
  z.string().transform((value) =>
    value
      .split(/[\s,]+/)
      .map((item) => item.trim())
      .filter(Boolean),
  ),
);
const flag = z.stringbool({ truthy: ["1", "true"], falsy: ["0", "false"], error: "must be 1 or 0" });
const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https address" });
const address = httpUrl.transform((value) => value.replace(/\/+$/, ""));
/** An address below which the console lies: its path stands in cookies and headers. */
const consoleAddress = address.refine(
  (value) => new URL(value).pathname === "/" || /^https?:\/\/[^/?#@]+(?:\/[\w.~-]*[\w~-])+$/i.test(value),
  "may have a path of letters, digits, dots, dashes and underscores, and nothing after it",
);
/** Parses a variable's text. @param parse throws an Error with what is wrong */
const parsed = <T>(parse: (text: string) => T) =>
  z.string().transform((value, context) => {
    try {
      return parse(value);
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "is malformed" });
      return z.NEVER;
    }
  });

const roleMap = parsed((value) => {
  const pairs = value.split(",").filter((part) => part.trim());
  return Object.fromEntries(
    pairs.map((item): [string, Role] => {
      const [group, name, extra] = item.split("=").map((part) => part.trim());
      const role = ROLES.find((one) => one === name);
      if (!group || !role || extra !== undefined) throw new Error(`"${item.trim()}" is not group=role`);
      return [group, role];
    }),
  );
});

/** `name=value` pairs with percent-encoded commas (W3C Baggage, as in OpenTelemetry). */
const headerList = parsed((value) =>
  Object.fromEntries(
    value.split(",").map((item) => {
      const [, name, text] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/.exec(item) ?? [];
      if (!name) throw new Error("must be a list of name=value");
      return [name, decodeURIComponentOr(text?.trim() ?? "")];
    }),
  ),
);

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const copies = z.coerce.number().int().min(1).max(64).optional();

/** Options of new collections in Qdrant, by its own names. */
const QdrantCollection = z.strictObject({
  shard_number: copies,
  replication_factor: copies,
  write_consistency_factor: copies,
  on_disk: flag.optional(),
  quantization: z.enum(["scalar", "binary"]).optional(),
});

const qdrantCollection = parsed((value) => {
  const pairs = value.split(",").map((pair) => pair.split("=").map((part) => part.trim()));
  const options = QdrantCollection.safeParse(Object.fromEntries(pairs));
  if (options.success) return options.data;
  const [issue] = options.error.issues;
  throw new Error(`${issue?.path.join(".") || "is no list of name=value"}: ${issue?.message}`);
});

/** Files of the console's own secrets in the data folder. */
export const SECRET_NAMES = ["session.secret", "audit.key", "sealing.key", "push.key"] as const;
export type SecretName = (typeof SECRET_NAMES)[number];

const secretNames = parsed((value) =>
  value
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((word) => {
      const name = SECRET_NAMES.find((one) => one === word);
      if (!name) throw new Error(`"${word}" is none of ${SECRET_NAMES.join(", ")}`);
      return name;
    }),
);
const secret = z.string().min(32, "must have at least 32 characters");

/** Without what differs between spellings of one address, and without credentials. */
const replicaUrl = z
  .url({
    protocol: /^(?:file|s3|gs|gcs|abs|sftp|oss|nats|webdavs?)$/,
    error: "must be an address as Litestream has it, such as s3://bucket/path",
  })
  .transform((value) => {
    const { protocol, host, pathname } = new URL(value);
    return `${protocol}//${host}${pathname.replace(/\/{2,}/g, "/").replace(/\/+$/, "")}`;
  });

/** A bucket, and a folder in it after a slash. */
const bucket = z
  .string()
  .trim()
  .regex(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w.-]*[\w-][\w.-]*)*$/,
    "must be the name of a bucket, which a folder may follow, such as bucket/files",
  );

/** `.env.example` documents each variable and is tested against this schema. */
export const EnvSchema = z.object({
  NODE_ENV: optional(z.enum(["development", "production", "test"])).default("production"),
  PORT: optional(z.coerce.number().int().min(0).max(65535)).default(3000),
  HOST: optional(text).default("0.0.0.0"),
  PUBLIC_URL: optional(consoleAddress),
  TRUST_PROXY: optional(z.coerce.number().int().min(0).max(10)).default(0),
  DATA_DIR: optional(text).default("./data"),
  DATA_DIR_ALLOW_NETWORK: optional(flag).default(false),
  LOG_LEVEL: optional(z.enum(["debug", "info", "warn", "error", "silent"])),
  DATABASE_REQUIRED: optional(flag).default(false),
  STANDBY: optional(flag).default(false),
  LITESTREAM_URL: optional(replicaUrl),
  FILES_S3_ENDPOINT: optional(address),
  FILES_S3_BUCKET: optional(bucket),
  FILES_S3_REGION: optional(text).default("us-east-1"),
  FILES_S3_ACCESS_KEY_ID: optional(text),
  FILES_S3_SECRET_ACCESS_KEY: optional(text),
  SESSION_SECRET: optional(secret),
  AUDIT_KEY: optional(secret),
  SEALING_KEY: optional(secret),
  PUSH_KEY: optional(z.string().regex(/^[\w+/-]{43}=?$/, "must be 32 bytes in Base64, as push.key has them")),
  REPLACE_KEYS: optional(secretNames),
  OWNER_EMAIL: optional(z.email()),
  OWNER_PASSWORD: optional(z.string().min(12, "must have at least 12 characters")),
  OAUTH_ISSUER: optional(httpUrl),
  OAUTH_CLIENT_ID: optional(text),
  OAUTH_CLIENT_SECRET: optional(text),
  OAUTH_SCOPES: optional(text).default("openid profile email"),
  OAUTH_ALLOWED_DOMAINS: list,
  OAUTH_ALLOWED_GROUPS: list,
  OAUTH_GROUPS_CLAIM: optional(text).default("groups"),
  OAUTH_ROLE_MAP: optional(roleMap),
  EGRESS_ALLOW: list,
  KEY_REFERENCES: list,
  SOURCE_FOLDERS: optional(parsed(parseSourceFolders)),
  MCP_COMMANDS: optional(parsed(parseMcpCommands)),
  DATABASE_ALLOW_SUPERUSER: optional(flag).default(false),
  PLUGIN_CATALOG_URL: optional(httpUrl),
  OLLAMA_URL: optional(address),
  HUGGINGFACE_HUB_URL: optional(address),
  OPENROUTER_HUB_URL: optional(address),
  QDRANT_URL: optional(address),
  QDRANT_COLLECTION: optional(qdrantCollection),
  SMTP_URL: optional(
    z
      .url({ protocol: /^smtps?$/, error: "must be an smtp:// or smtps:// address" })
      .refine((value) => new URL(value).hostname !== "", "must name a server"),
  ),
  SMTP_FROM: optional(z.email()),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(address).default("http://localhost:4318"),
  OTEL_EXPORTER_OTLP_HEADERS: optional(headerList),
  OTEL_SERVICE_NAME: optional(text).default("ai-console"),
  DOCUMENT_MEMORY_MB: optional(z.coerce.number().int().min(256).max(16_384)).default(768),
});

export type Env = z.infer<typeof EnvSchema>;

/** @throws Error naming all invalid variables, without their values */
export function parseEnv(source: Record<string, string | undefined>): Env {
  const parsed = EnvSchema.safeParse(source);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`Invalid environment:\n${lines.join("\n")}`);
  }
  const env = parsed.data;
  if (env.OAUTH_ISSUER && !env.OAUTH_CLIENT_ID) {
    throw new Error("Invalid environment:\n  OAUTH_CLIENT_ID: is required with OAUTH_ISSUER");
  }
  if (Boolean(env.OWNER_EMAIL) !== Boolean(env.OWNER_PASSWORD)) {
    throw new Error("Invalid environment:\n  OWNER_EMAIL and OWNER_PASSWORD must be set together");
  }
  const files = [
    "FILES_S3_ENDPOINT",
    "FILES_S3_BUCKET",
    "FILES_S3_ACCESS_KEY_ID",
    "FILES_S3_SECRET_ACCESS_KEY",
  ] as const;
  const unset = files.filter((name) => env[name] === undefined);
  if (unset.length > 0 && unset.length < files.length)
    throw new Error(
      `Invalid environment:\n  ${unset.join(", ")}: must be set with the other variables of FILES_S3`,
    );
  assertApart(env.MCP_COMMANDS ?? {}, resolve(env.DATA_DIR));
  assertNoData(env.SOURCE_FOLDERS ?? {}, resolve(env.DATA_DIR));
  return env;
}

let current: Env | undefined;

export function env(): Env {
  current ??= parseEnv(process.env);
  return current;
}

export function setEnv(values: Record<string, string | undefined> | undefined): void {
  current = values ? parseEnv(values) : undefined;
}

export function dataDir(): string {
  return resolve(env().DATA_DIR);
}

export function publicUrl(): string {
  return env().PUBLIC_URL ?? `http://localhost:${env().PORT}`;
}

/** @param path of the console; may have a query and a fragment */
export const publicAddress = (path: string): string => publicUrl() + path;

/** In bytes; a longer file isn't read. */
const MAX_ENV_FILE = 1_000_000;

let envFile: { stamp: string; values: Readonly<Record<string, string | undefined>> } | undefined;

/** The `.env` file as it is now; empty unless `npm start` or `npm run dev` read one, or would have. */
function envFileValues(): Readonly<Record<string, string | undefined>> {
  const path = process.env.ENV_FILE;
  if (!path) return {};
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found?.isFile() || found.size > MAX_ENV_FILE) return {};
    const stamp = [path, found.ino, found.size, found.mtimeMs].join(" ");
    if (envFile?.stamp !== stamp)
      envFile = { stamp, values: { ...parseEnvFile(readFileSync(path, "utf8")) } };
    return envFile.values;
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? ` (${error.code})` : "";
    throw new AppError("provider_key", `The console can't read its .env file${reason}.`, { cause: error });
  }
}

/** Whether a variable comes from the file; the environment that the console was started with goes first. */
function isFileVariable(name: string): boolean {
  const wasRead = process.env.ENV_FILE_VARIABLES?.split(" ").includes(name) ?? false;
  return wasRead || process.env[name] === undefined;
}

export function isFromEnvFile(name: string): boolean {
  return isFileVariable(name) && (process.env[name] ?? envFileValues()[name]) !== undefined;
}

/**
 * Reads a key reference at call time; the value is never stored. A key in the `.env` file is taken as it stands there
 * now, without a restart; the console's own settings stay as they were at its start.
 */
export function readReferencedSecret(name: string): string | undefined {
  const isSetting = Object.hasOwn(EnvSchema.shape, name);
  const isRead = !isSetting && process.env.ENV_FILE !== undefined && isFileVariable(name);
  const value = isRead ? envFileValues()[name] : process.env[name];
  return value || undefined;
}

/** Names of variables that are set now, of the environment and of the file. */
export const variableNames = (): string[] => [
  ...new Set([...Object.keys(process.env), ...Object.keys(envFileValues())]),
];

/** Files that Docker and Podman put into a container. */
const CONTAINER_MARKS = ["/.dockerenv", "/run/.containerenv"];

/** Where an operator sets a key: in the `.env` that is read again, in compose's, or with a restart elsewhere. */
export function keyPlace(marks: readonly string[] = CONTAINER_MARKS): "file" | "compose" | "environment" {
  if (process.env.ENV_FILE) return "file";
  return marks.some((mark) => existsSync(mark)) ? "compose" : "environment";
}

export interface McpCommand {
  argv: readonly string[];
  network: boolean;
  /** Folders that it may write to, absolute and without links. */
  writable: readonly string[];
}

const ENTRY = /^([a-z][a-z0-9-]{0,30})(:network|:write)?=(\S.*)$/;

/** A command of MCP_COMMANDS, by its own name only. */
export function findMcpCommand(
  commands: Readonly<Record<string, McpCommand>> = {},
  name: string,
): McpCommand | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

/** @throws Error unless it is an existing folder beside those of the system */
function writableFolder(path: string): string {
  const folder = existsSync(path) ? realpathSync(path) : undefined;
  if (!isAbsolute(path) || folder === undefined || !statSync(folder).isDirectory())
    throw new Error(`"${path.slice(0, 100)}" is not the absolute path of a folder that exists`);
  if (/^\/(?:(?:usr|etc|proc|dev|sys|run|bin|sbin|lib|lib64|boot)(?:\/.*)?|var|tmp|home|root)?$/.test(folder))
    throw new Error(`"${path.slice(0, 100)}" belongs to the system; name a folder of the command's own`);
  return folder;
}

const contains = (outer: string, inner: string) => `${inner}/`.startsWith(`${outer}/`);

/** @throws Error if a command could write to the console's data or its code */
function assertApart(commands: Readonly<Record<string, McpCommand>>, dataFolder: string): void {
  const real = existsSync(dataFolder) ? realpathSync(dataFolder) : dataFolder;
  const code = realpathSync(process.cwd());
  for (const folder of Object.values(commands).flatMap(({ writable }) => writable)) {
    const isInside = contains(folder, real) || contains(real, folder) || contains(folder, code);
    if (isInside)
      throw new Error(
        `Invalid environment:\n  MCP_COMMANDS: "${folder}" would let a command write to the console's own folder`,
      );
  }
}

/**
 * Parses MCP_COMMANDS: `name=command arguments`, separated by semicolons or lines, with `name:network=…` for network
 * access, and `name:write=/folder` beside it for each folder that the command may write to. There is no shell, so an
 * argument has no spaces.
 * @throws Error with the malformed entry
 */
export function parseMcpCommands(text: string): Readonly<Record<string, McpCommand>> {
  const entries = text
    .split(/[;\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map((entry) => {
      const [, name, option, value = ""] = ENTRY.exec(entry) ?? [];
      if (!name) throw new Error(`"${entry.slice(0, 60)}" is not name=command`);
      return { name, option, value: value.trim() };
    });
  const folders = entries.filter(({ option }) => option === ":write");
  const commands = entries.filter(({ option }) => option !== ":write");
  for (const { name } of folders)
    if (!commands.some((command) => command.name === name))
      throw new Error(`"${name}:write" belongs to no command named ${name}`);
  return Object.fromEntries(
    commands.map(({ name, option, value }) => [
      name,
      {
        argv: value.split(/\s+/),
        network: option === ":network",
        writable: folders
          .filter((folder) => folder.name === name)
          .map((folder) => writableFolder(folder.value)),
      },
    ]),
  );
}

const FOLDER_ENTRY = /^([a-z][a-z0-9-]{0,30})=(\/.*)$/;

/**
 * Parses SOURCE_FOLDERS: `name=/folder`, separated by semicolons or lines. A folder that isn't there, such as one that
 * isn't mounted, is refused by each sync instead, so that the console starts.
 * @throws Error with the malformed entry
 */
function parseSourceFolders(text: string): Readonly<Record<string, string>> {
  const entries = text.split(/[;\n]/).flatMap((entry) => entry.trim() || []);
  return Object.fromEntries(
    entries.map((entry) => {
      const [, name, path] = FOLDER_ENTRY.exec(entry) ?? [];
      if (!name || !path) throw new Error(`"${entry.slice(0, 60)}" is not name=/folder`);
      return [name, resolve(path)];
    }),
  );
}

/** @throws Error if a source could read the console's keys and database */
function assertNoData(folders: Readonly<Record<string, string>>, dataFolder: string): void {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path);
  for (const folder of Object.values(folders))
    if (contains(real(folder), real(dataFolder)) || contains(real(dataFolder), real(folder)))
      throw new Error(
        `Invalid environment:\n  SOURCE_FOLDERS: "${folder}" would let a source read the console's own data`,
      );
}
