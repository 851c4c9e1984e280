import { guardedFetch } from "~/core/egress/index.server";
import type { McpTarget } from "../../plugins.repo.server";

const LIMITS = { timeoutMs: 15_000, silenceMs: 15_000, maxBytes: 256 * 1024 } as const;

/** To any public host: the server names its authorization server. */
export function oauthFetch({ id }: Pick<McpTarget, "id">): typeof fetch {
  const guarded = guardedFetch(`plugin-oauth:${id}`, LIMITS);
  // A redirected POST would leak a code or token.
  return (input, init) => guarded(input, init?.method === "POST" ? { ...init, redirect: "error" } : init);
}

const PROTOCOL = "2025-06-18";

/** Some servers let anyone begin and list, and ask for a token at a later method. */
const PROBES = [
  {
    method: "initialize",
    params: {
      protocolVersion: PROTOCOL,
      capabilities: {},
      clientInfo: { name: "ai-console", version: "1.0.0" },
    },
  },
  { method: "tools/list" },
  { method: "resources/list" },
  { method: "prompts/list" },
];

export interface Challenge {
  resourceMetadataUrl?: URL;
  scope?: string;
}

/** RFC 9728; undefined if no token is needed. */
async function readChallenge(server: Pick<McpTarget, "id" | "target">): Promise<Challenge | undefined> {
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
  const send = oauthFetch(server);
  const headers = new Headers({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  });
  for (const [id, probe] of PROBES.entries()) {
    const body = JSON.stringify({ jsonrpc: "2.0", id, ...probe });
    const response = await send(server.target, { method: "POST", headers, body });
    await response.body?.cancel();
    if (response.status === 401) {
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
      return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope && { scope }) };
    }
    if (id === 0) headers.set("mcp-protocol-version", PROTOCOL);
    const session = response.headers.get("mcp-session-id");
    if (session) headers.set("mcp-session-id", session);
  }
  return undefined;
}

/** Whether a server of 2025-03-26 has an authorization server's metadata at its own origin (RFC 8414), without RFC 9728. */
async function isOwnAuthority(server: Pick<McpTarget, "id" | "target">): Promise<boolean> {
  const { discoverAuthorizationServerMetadata } = await import("@modelcontextprotocol/client");
  const { origin } = new URL(server.target);
  const metadata = await discoverAuthorizationServerMetadata(origin, { fetchFn: oauthFetch(server) });
  return metadata !== undefined;
}

/** Undefined unless the server publishes where to sign in. */
export async function readOAuthChallenge(
  server: Pick<McpTarget, "id" | "target">,
): Promise<Challenge | undefined> {
  const { discoverOAuthProtectedResourceMetadata } = await import("@modelcontextprotocol/client");
  const challenge = await readChallenge(server);
  if (!challenge) return undefined;
  const { resourceMetadataUrl } = challenge;
  try {
    await discoverOAuthProtectedResourceMetadata(
      server.target,
      resourceMetadataUrl ? { resourceMetadataUrl } : {},
      oauthFetch(server),
    );
    return challenge;
  } catch {
    return (await isOwnAuthority(server).catch(() => false)) ? challenge : undefined;
  }
}
