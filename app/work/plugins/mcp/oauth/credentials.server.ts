import type { AuthProvider } from "@modelcontextprotocol/client";
import { z } from "zod";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { seal, unseal } from "~/core/secrets.server";
import { parseWellFormed } from "~/core/well-formed";
import {
  findMcpServerRow,
  type McpServerRow,
  type McpTarget,
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

const Pending = z.object({
  state: z.string(),
  verifier: z.string(),
  userId: z.string(),
  startedAt: z.number(),
  redirectUrl: z.string(),
  scope: z.string().optional(),
});
export type Pending = z.infer<typeof Pending>;

const Credentials = z.object({
  /** Registration with its issuer. */
  client: z.looseObject({ client_id: z.string(), issuer: z.string().optional() }).optional(),
  tokens: Tokens.optional(),
  /** Used by exchange and refresh. */
  discovery: z.looseObject({ authorizationServerUrl: z.string() }).optional(),
  pending: Pending.optional(),
});
export type Credentials = z.infer<typeof Credentials>;

const purposeOf = (orgId: string, id: string) => `mcp-server:${orgId}:${id}`;

/** Empty if unsealing fails, as after a restore without the key. */
export function openCredentials({
  orgId,
  id,
  credentials,
}: Pick<McpServerRow, "orgId" | "id" | "credentials">): Credentials {
  const text = credentials === null ? undefined : unseal(credentials, purposeOf(orgId, id));
  if (text === undefined) return {};
  const parsed = Credentials.safeParse(parseWellFormed(text));
  return parsed.success ? parsed.data : {};
}

export function readCredentials(orgId: string, id: string): Credentials {
  const row = findMcpServerRow(db(), orgId, id);
  return row ? openCredentials(row) : {};
}

/** Does nothing if the server was removed. */
export function updateCredentials(orgId: string, id: string, change: Partial<Credentials>): void {
  transaction((tx) => {
    const row = findMcpServerRow(tx, orgId, id);
    if (!row) return;
    const next = { ...openCredentials(row), ...change };
    saveMcpServerRow(tx, { ...row, credentials: seal(JSON.stringify(next), purposeOf(orgId, id)) });
  });
}

export const isPendingValid = ({ startedAt }: Pending): boolean => now() - startedAt < PENDING_TIME;

/** How long before expiry tokens are refreshed, in ms. */
const REFRESH_MARGIN = 30_000;

const signInNeeded = (title: string) =>
  new AppError("provider_key", `${title} requires a sign-in. An admin can connect it under Extensions.`);

/** One refresh at a time: refresh tokens may be single-use. */
const refreshing = new Map<string, Promise<void>>();

async function refresh(server: McpTarget, before: Credentials): Promise<void> {
  const { id, orgId, title, target } = server;
  const { tokens, client, discovery } = before;
  if (!tokens?.refresh_token || !client || !discovery) throw signInNeeded(title);
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
    updateCredentials(orgId, id, { tokens: { ...tokens, ...granted, grantedAt: now() } });
  } catch (error) {
    log.warn("tokens of an MCP server weren't refreshed", {
      purpose: `plugin:${id}`,
      host: new URL(target).host,
      error,
    });
    if (!(error instanceof OAuthError)) throw error;
    // The grant has ended.
    updateCredentials(orgId, id, { tokens: undefined });
    throw signInNeeded(title);
  }
}

/** Refreshes the tokens unless another call already did. */
function refreshOnce(server: McpTarget, used: string | undefined): Promise<void> {
  const { id, orgId } = server;
  const running = refreshing.get(id);
  if (running) return running;
  const current = readCredentials(orgId, id);
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
  const { id, orgId } = server;
  let used: string | undefined;
  return {
    async token() {
      const credentials = readCredentials(orgId, id);
      if (!credentials.tokens) throw signInNeeded(server.title);
      used = credentials.tokens.access_token;
      if (!isExpired(credentials) || !credentials.tokens.refresh_token) return used;
      await refreshOnce(server, used);
      used = readCredentials(orgId, id).tokens?.access_token;
      return used;
    },
    onUnauthorized: () => refreshOnce(server, used),
  };
}
