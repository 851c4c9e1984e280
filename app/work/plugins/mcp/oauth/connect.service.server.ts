import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newSecret, sameSecret } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { append } from "~/platform/audit/audit.service.server";
import { publish } from "~/platform/events/events.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { readBranding } from "~/team/branding/branding.service.server";
import { listMcpServerRows, type McpServerRow, saveMcpServerRow } from "../../plugins.repo.server";
import type { McpServer } from "../mcp.schema";
import { disconnectServer } from "../mcp-client.server";
import { toAppError } from "../mcp-errors.server";
import { readMcpServer, refreshMcpServer, requireServer } from "../mcp-servers.service.server";
import { oauthFetch, readOAuthChallenge } from "./challenge.server";
import { callbackAt, clientDocumentUrl, clientMetadata } from "./client-metadata.schema";
import {
  type Credentials,
  isPendingValid,
  openCredentials,
  type Pending,
  readCredentials,
  updateCredentials,
} from "./credentials.server";

function requireOAuthServer(orgId: string, id: string): McpServerRow {
  const row = requireServer(orgId, id);
  if (!row.usesOAuth) throw new AppError("conflict", `${row.title} doesn't require a sign-in.`);
  return row;
}

/** Of the authorization server. */
const metadataOf = ({ discovery }: Credentials) =>
  (discovery?.authorizationServerMetadata ?? {}) as Readonly<Record<string, unknown>>;

function providerFor(
  { orgId, id }: Pick<McpServerRow, "orgId" | "id">,
  pending: Pending,
  redirect: (url: URL) => void,
): OAuthClientProvider {
  const read = () => readCredentials(orgId, id);
  const save = (change: Partial<Credentials>) => updateCredentials(orgId, id, change);
  return {
    redirectUrl: pending.redirectUrl,
    clientMetadata: clientMetadata(readBranding().appName, pending.redirectUrl),
    // Not used with registration, which needs no route to the console.
    get clientMetadataUrl() {
      return typeof metadataOf(read()).registration_endpoint === "string"
        ? undefined
        : clientDocumentUrl(pending.redirectUrl);
    },
    state: () => pending.state,
    clientInformation(context) {
      const { client } = read();
      const uris = client?.redirect_uris;
      const isOfThis =
        (Array.isArray(uris) && uris.includes(pending.redirectUrl)) ||
        client?.client_id === clientDocumentUrl(pending.redirectUrl);
      return isOfThis && (!context || client?.issuer === context.issuer) ? client : undefined;
    },
    saveClientInformation: (client) => save({ client: { ...client } }),
    // A sign-in replaces the earlier grant.
    tokens: () => undefined,
    saveTokens: (tokens) => save({ tokens: { ...tokens, grantedAt: now() } }),
    redirectToAuthorization: redirect,
    saveCodeVerifier: (verifier) => {
      pending.verifier = verifier;
    },
    codeVerifier: () => pending.verifier,
    saveDiscoveryState: (discovery) => save({ discovery: { ...discovery } }),
    // Discovered per sign-in, and kept for its exchange.
    discoveryState: () =>
      pending.verifier ? (read().discovery as OAuthDiscoveryState | undefined) : undefined,
  };
}

/** @throws AppError unless it is a web page */
function checkedPage(url: URL | undefined, title: string): URL {
  const isLoopback = url && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  if (url && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback))) return url;
  throw new AppError("unprocessable", `${title} names no sign-in page that can be opened.`);
}

/**
 * Refuses a mix-up: a server could name the sign-in page of an honest one and receive its code at an address of its own
 * (RFC 9207; RFC 9700, 4.4). A redirect address per server wouldn't tell them apart where anyone may register clients.
 * @throws AppError unless the page's own server receives the code or published where it goes, or will name itself
 */
function assertOneServer(credentials: Credentials, title: string): void {
  const metadata = metadataOf(credentials);
  const { authorization_endpoint: page, token_endpoint: token, issuer } = metadata;
  if (metadata.authorization_response_iss_parameter_supported === true) return;
  const originOf = (value: unknown) =>
    typeof value === "string" && URL.canParse(value) ? new URL(value).origin : "an invalid address";
  if (page === undefined || token === undefined) return;
  // The metadata lies at its issuer, as the client library has checked (RFC 8414, 3.3).
  if ([originOf(token), originOf(issuer)].includes(originOf(page))) return;
  throw new AppError(
    "unprocessable",
    `${title} names different servers for the sign-in page and for its tokens: ${originOf(page)} and ${originOf(token)}. Ask its operator.`,
  );
}

/**
 * Starts a sign-in at the authorization server of an MCP server (OAuth 2.1 with PKCE; RFC 9728, 8414, 7591).
 * @param origin the console's own address
 * @returns the URL of the sign-in page
 */
export async function startConnect(actor: Actor, id: string, origin: string): Promise<{ url: string }> {
  authorise(actor, "plugins.manage");
  const row = requireOAuthServer(actor.orgId, id);
  const { auth } = await import("@modelcontextprotocol/client");
  let page: URL | undefined;
  try {
    const challenge = await readOAuthChallenge(row);
    const pending: Pending = {
      state: newSecret(),
      verifier: "",
      userId: actor.userId,
      startedAt: now(),
      redirectUrl: callbackAt(origin),
      ...(challenge?.scope && { scope: challenge.scope }),
    };
    const provider = providerFor(row, pending, (url) => {
      page = url;
    });
    await auth(provider, { serverUrl: row.target, fetchFn: oauthFetch(row), ...challenge });
    assertOneServer(readCredentials(row.orgId, id), row.title);
    updateCredentials(row.orgId, id, { pending });
  } catch (error) {
    throw toAppError(error, row.title);
  }
  return { url: checkedPage(page, row.title).href };
}

/** Single use; same person, within the time limit. */
function takePending(actor: Actor, state: string): { row: McpServerRow; pending: Pending } {
  for (const row of listMcpServerRows(db(), actor.orgId)) {
    const { pending } = openCredentials(row);
    if (!pending || pending.userId !== actor.userId || !sameSecret(pending.state, state)) continue;
    updateCredentials(row.orgId, row.id, { pending: undefined });
    if (isPendingValid(pending)) return { row, pending };
  }
  throw new AppError("gone", "This sign-in has expired or was used. Connect the server again.");
}

async function exchange(row: McpServerRow, pending: Pending, answer: URLSearchParams): Promise<void> {
  const { auth } = await import("@modelcontextprotocol/client");
  const code = answer.get("code");
  // The URL's reason is untrusted.
  if (!code) throw new AppError("cancelled", `The sign-in at ${row.title} was declined.`);
  const iss = answer.get("iss");
  const metadata = metadataOf(readCredentials(row.orgId, row.id));
  // The server said that it names itself, and that is what tells a mix-up.
  if (iss === null && metadata.authorization_response_iss_parameter_supported === true)
    throw new AppError("unprocessable", `The sign-in came from another server than ${row.title} named.`);
  const provider = providerFor(row, pending, () => {
    throw new AppError("provider_key", `${row.title} didn't accept the sign-in. Connect it again.`);
  });
  try {
    await auth(provider, {
      serverUrl: row.target,
      authorizationCode: code,
      ...(iss !== null && { iss }),
      fetchFn: oauthFetch(row),
    });
  } catch (error) {
    log.warn("a sign-in at an MCP server failed", { purpose: `plugin:${row.id}`, error });
    throw toAppError(error, row.title);
  }
}

/**
 * Stores tokens and lists the server's tools.
 * @throws AppError `gone` for an unknown or expired sign-in; `cancelled` if declined
 */
export async function finishConnect(
  actor: Actor,
  answer: URLSearchParams,
  signal: AbortSignal,
): Promise<McpServer> {
  authorise(actor, "plugins.manage");
  const { row, pending } = takePending(actor, answer.get("state") ?? "");
  await exchange(row, pending, answer);
  transaction((tx) =>
    append(tx, actor, {
      action: "extension.server_connected",
      resource: `plugin:${row.id}`,
      details: { title: row.title, server: new URL(row.target).host },
    }),
  );
  await disconnectServer(row.id);
  return refreshMcpServer(actor, row.id, signal);
}

/** RFC 7009, if supported. */
async function revoke(row: McpServerRow, credentials: Credentials): Promise<void> {
  const { tokens, client } = credentials;
  const endpoint = metadataOf(credentials).revocation_endpoint;
  const token = tokens?.refresh_token ?? tokens?.access_token;
  if (!token || !client || typeof endpoint !== "string") return;
  const response = await oauthFetch(row)(endpoint, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token, client_id: client.client_id }).toString(),
  });
  await response.body?.cancel();
}

/** Deletes and revokes tokens. */
export async function disconnectAccount(actor: Actor, id: string): Promise<McpServer> {
  authorise(actor, "plugins.manage");
  const row = requireOAuthServer(actor.orgId, id);
  const credentials = openCredentials(row);
  transaction((tx) => {
    saveMcpServerRow(tx, { ...row, credentials: null });
    append(tx, actor, {
      action: "extension.server_disconnected",
      resource: `plugin:${id}`,
      details: { title: row.title },
    });
  });
  await disconnectServer(id);
  await revoke(row, credentials).catch((error: unknown) =>
    log.warn("tokens of an MCP server weren't revoked", { purpose: `plugin:${id}`, error }),
  );
  publish({ topic: "plugins", orgId: actor.orgId });
  return readMcpServer(actor, id);
}
