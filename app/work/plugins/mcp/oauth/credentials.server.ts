import type { AuthProvider } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { publicUrl } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { currentPurpose } from "~/core/purpose.server";
import { seal, unseal } from "~/core/secrets.server";
import { parseWellFormed } from "~/core/well-formed";
import { keyForWorkflow } from "~/team/keys/keys.service.server";
import {
  findMcpAccountRow,
  findMcpServerRow,
  type McpServerRow,
  type McpTarget,
  saveMcpAccountRow,
  saveMcpServerRow,
} from "../../plugins.repo.server";
import { oauthFetch } from "./challenge.server";

/** Time for signing in, in ms. */
const PENDING_TIME = 15 * 60_000;

const Tokens = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  expires_in: z.number().optional(),
  scope: z.string().optional(),
  issuer: z.string().optional(),
  /** In ms. */
  grantedAt: z.number(),
});

/** Registration with its issuer. */
const Client = z.looseObject({ client_id: z.string(), issuer: z.string().optional() });

const Pending = z.object({
  state: z.string(),
  verifier: z.string(),
  userId: z.string(),
  startedAt: z.number(),
  redirectUrl: z.string(),
  scope: z.string().optional(),
  /** Whether it asks for more than its client was registered for. */
  isWider: z.boolean().optional(),
  /** The new registration of a wider one: the earlier grant stays until the sign-in is done. */
  client: Client.optional(),
});
export type Pending = z.infer<typeof Pending>;

const Credentials = z.object({
  client: Client.optional(),
  tokens: Tokens.optional(),
  /** Used by exchange and refresh. */
  discovery: z.looseObject({ authorizationServerUrl: z.string() }).optional(),
  pending: Pending.optional(),
  /** Scopes that calls lacked since the sign-in. */
  neededScope: z.string().optional(),
});
export type Credentials = z.infer<typeof Credentials>;

/** Which account: the shared one of a server, or a person's. */
export type AccountKey = Pick<McpTarget, "id" | "orgId" | "userId">;

/** Of the authorization server. */
export const metadataOf = ({ discovery }: Credentials) =>
  (discovery?.authorizationServerMetadata ?? {}) as Readonly<Record<string, unknown>>;

const purposeOf = ({ orgId, id, userId }: AccountKey) =>
  userId === undefined ? `mcp-server:${orgId}:${id}` : `mcp-account:${orgId}:${id}:${userId}`;

/** Empty if unsealing fails, as after a restore without the key. */
function open(sealed: string | null | undefined, key: AccountKey): Credentials {
  const text = sealed ? unseal(sealed, purposeOf(key)) : undefined;
  if (text === undefined) return {};
  const parsed = Credentials.safeParse(parseWellFormed(text));
  return parsed.success ? parsed.data : {};
}

function readWithin(tx: Db, key: AccountKey): Credentials {
  const { orgId, id, userId } = key;
  if (userId === undefined) return open(findMcpServerRow(tx, orgId, id)?.credentials, key);
  return open(findMcpAccountRow(tx, { orgId, serverId: id, userId })?.credentials, key);
}

export const readCredentials = (key: AccountKey): Credentials => readWithin(db(), key);

/**
 * The client that an admin registered by hand at the authorization server. Its secret goes to the address alone to which
 * its key reference is bound.
 * @param metadata of the authorization server; without its token endpoint there is no secret
 * @throws AppError `provider_key`
 */
export function registeredClient({ orgId, id }: AccountKey, metadata: { token_endpoint?: unknown }) {
  const client = findMcpServerRow(db(), orgId, id)?.client;
  if (!client) return undefined;
  const { clientId: client_id, keyId } = client;
  const { token_endpoint: endpoint } = metadata;
  if (!keyId || typeof endpoint !== "string" || !URL.canParse(endpoint)) return { client_id };
  return { client_id, client_secret: keyForWorkflow(orgId, keyId, new URL(endpoint).origin) };
}

/** Does nothing if the server was removed. */
export function updateCredentials(key: AccountKey, change: Partial<Credentials>): void {
  const { orgId, id, userId } = key;
  transaction((tx) => {
    const row = findMcpServerRow(tx, orgId, id);
    if (!row) return;
    const credentials = seal(JSON.stringify({ ...readWithin(tx, key), ...change }), purposeOf(key));
    if (userId === undefined) saveMcpServerRow(tx, { ...row, credentials });
    else saveMcpAccountRow(tx, { orgId, serverId: id, userId, credentials, updatedAt: now() });
  });
}

/** The account of the calls of a person, or of a workflow that runs for them. */
export function targetFor(server: McpServerRow, actor: Pick<Actor, "userId">): McpTarget {
  if (!server.usesOAuth || server.accounts === "shared") return server;
  return { ...server, userId: currentPurpose().memberId ?? actor.userId };
}

export const isPendingValid = ({ startedAt }: Pending): boolean => now() - startedAt < PENDING_TIME;

/** How long before expiry tokens are refreshed, in ms. */
const REFRESH_MARGIN = 30_000;

/** Where a person connects their own accounts. */
export const ACCOUNTS_PAGE = "/settings/profile#mcp-accounts";

const whereToConnect = ({ userId }: Pick<McpTarget, "userId">) =>
  userId === undefined
    ? "An admin can connect it again under Extensions."
    : `Connect your account in your profile: ${publicUrl()}${ACCOUNTS_PAGE}`;

const signInNeeded = (server: McpTarget) =>
  new AppError(
    "provider_key",
    server.userId === undefined
      ? `${server.title} requires a sign-in. An admin can connect it under Extensions.`
      : `${server.title} isn't connected to an account of yours. ${whereToConnect(server)}`,
  );

/** Scopes that a server's answer names, without what no scope may contain (RFC 6749, 3.3). */
const scopesOf = (text: string) =>
  text
    .slice(0, 300)
    .replaceAll(/[^\x21\x23-\x5B\x5D-\x7E ]/g, "")
    .trim();

/** Remembers the scope that a call lacked, for the next sign-in. @returns the error to show */
export function scopeNeeded(server: McpTarget, scope: string | undefined, cause: unknown): AppError {
  const needed = scopesOf(scope ?? "");
  const what = `${server.title} refused the call: its account lacks the scope${needed ? ` "${needed}"` : " for it"}.`;
  if (!server.usesOAuth) return new AppError("provider_key", `${what} Check its key reference.`, { cause });
  if (needed) {
    const { neededScope = "" } = readCredentials(server);
    const all = new Set([...neededScope.split(" "), ...needed.split(" ")].filter(Boolean));
    updateCredentials(server, { neededScope: [...all].slice(0, 50).join(" ") });
  }
  return new AppError("provider_key", `${what} ${whereToConnect(server)}`, { cause });
}

/** Of a connection: a session belongs to one account. */
export const accountId = ({ id, userId }: Pick<McpTarget, "id" | "userId">): string =>
  userId === undefined ? id : `${id} ${userId}`;

/** One refresh at a time: refresh tokens may be single-use. */
const refreshing = new Map<string, Promise<void>>();

async function refresh(server: McpTarget, before: Credentials): Promise<void> {
  const { id, target } = server;
  const { tokens, discovery } = before;
  const metadata = metadataOf(before);
  const client = registeredClient(server, metadata) ?? before.client;
  if (!tokens?.refresh_token || !client || !discovery) throw signInNeeded(server);
  const { refreshAuthorization, OAuthError } = await import("@modelcontextprotocol/client");
  const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = discovery;
  const resource = (resourceMetadata as { resource?: string } | undefined)?.resource;
  try {
    const granted = await refreshAuthorization(authorizationServerUrl, {
      ...(authorizationServerMetadata ? { metadata: authorizationServerMetadata as never } : {}),
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      ...(resource ? { resource } : {}),
      fetchFn: oauthFetch(server),
    });
    updateCredentials(server, { tokens: { ...tokens, ...granted, grantedAt: now() } });
  } catch (error) {
    log.warn("tokens of an MCP server weren't refreshed", {
      purpose: `plugin:${id}`,
      host: new URL(target).host,
      error,
    });
    if (!(error instanceof OAuthError)) throw error;
    // The grant has ended.
    updateCredentials(server, { tokens: undefined });
    throw signInNeeded(server);
  }
}

/** Refreshes the tokens unless another call already did. */
function refreshOnce(server: McpTarget, used: string | undefined): Promise<void> {
  const id = accountId(server);
  const running = refreshing.get(id);
  if (running) return running;
  const current = readCredentials(server);
  if (current.tokens && current.tokens.access_token !== used) return Promise.resolve();
  const work = refresh(server, current).finally(() => refreshing.delete(id));
  refreshing.set(id, work);
  return work;
}

const isExpired = ({ tokens }: Credentials) =>
  tokens?.expires_in !== undefined && now() > tokens.grantedAt + tokens.expires_in * 1000 - REFRESH_MARGIN;

/** Undefined without OAuth. */
export function tokenSource(server: McpTarget): AuthProvider | undefined {
  if (!server.usesOAuth) return undefined;
  let used: string | undefined;
  return {
    async token() {
      const credentials = readCredentials(server);
      if (!credentials.tokens) throw signInNeeded(server);
      used = credentials.tokens.access_token;
      if (!isExpired(credentials) || !credentials.tokens.refresh_token) return used;
      await refreshOnce(server, used);
      used = readCredentials(server).tokens?.access_token;
      return used;
    },
    onUnauthorized: () => refreshOnce(server, used),
  };
}
