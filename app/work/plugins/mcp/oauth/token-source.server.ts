import type { AuthProvider } from "@modelcontextprotocol/client";
import { now } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import type { McpTarget } from "../mcp-target";
import { oauthFetch } from "./challenge.server";
import { type Credentials, readCredentials, updateCredentials } from "./credentials.server";

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
    const { tokens: _, ...rest } = readCredentials(orgId, id);
    updateCredentials(orgId, id, { ...rest, tokens: undefined });
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
