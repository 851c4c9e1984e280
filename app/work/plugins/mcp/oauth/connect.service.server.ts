import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { laterThan } from "~/core/edits.server";
import { AppError } from "~/core/errors";
import { newSecret, sameSecret } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { append } from "~/platform/audit/audit.service.server";
import { publish } from "~/platform/events/events.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { readBranding } from "~/team/branding/branding.service.server";
import {
  deleteMcpAccountRow,
  deleteMcpAccountsOf,
  findActiveServerRow,
  forgetMcpCredentials,
  listActiveServerRows,
  listMcpServerRows,
  type McpServerRow,
  type McpTarget,
  saveMcpServerRow,
} from "../../plugins.repo.server";
import { closeAccount } from "../connections.server";
import type { McpAccountsInput, McpOwnAccount, McpServer } from "../mcp.schema";
import { disconnectServer } from "../mcp-client.server";
import { toAppError } from "../mcp-errors.server";
import { readMcpServer, refreshMcpServer, requireServer } from "../mcp-servers.service.server";
import { oauthFetch, readOAuthChallenge } from "./challenge.server";
import { callbackAt, clientDocumentUrl, clientMetadata } from "./client-metadata.schema";
import {
  type AccountKey,
  accountId,
  type Credentials,
  isPendingValid,
  metadataOf,
  type Pending,
  readCredentials,
  registeredClient,
  updateCredentials,
} from "./credentials.server";

/** A server with the account that the actor may connect: the shared one as an admin, or their own. */
type Account = McpServerRow & Pick<McpTarget, "userId">;

/** @throws AppError `not_found` for an inactive server, `conflict` for one without OAuth, `forbidden` */
function requireAccount(actor: Actor, id: string): Account {
  authorise(actor, "chat.use");
  const row = requireServer(actor.orgId, id);
  if (!row.usesOAuth) throw new AppError("conflict", `${row.title} doesn't require a sign-in.`);
  if (row.accounts === "shared") {
    authorise(actor, "plugins.manage");
    return row;
  }
  if (!findActiveServerRow(db(), actor.orgId, id))
    throw new AppError("conflict", `${row.title} is inactive.`);
  return { ...row, userId: actor.userId };
}

function providerFor(
  account: AccountKey,
  pending: Pending,
  redirect: (url: URL) => void,
): OAuthClientProvider {
  const read = () => readCredentials(account);
  const save = (change: Partial<Credentials>) => updateCredentials(account, change);
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
      const registered = registeredClient(account, metadataOf(read()));
      if (registered) return registered;
      const client = pending.isWider ? pending.client : read().client;
      const uris = client?.redirect_uris;
      const isOfThis =
        (Array.isArray(uris) && uris.includes(pending.redirectUrl)) ||
        client?.client_id === clientDocumentUrl(pending.redirectUrl);
      return isOfThis && (!context || client?.issuer === context.issuer) ? client : undefined;
    },
    saveClientInformation: (client) => {
      if (pending.isWider) pending.client = { ...client };
      else save({ client: { ...client } });
    },
    // A sign-in replaces the earlier grant.
    tokens: () => undefined,
    // A token's scope is left out if it is the one that was asked for (RFC 6749, 5.1).
    saveTokens: ({ scope = pending.scope, ...tokens }) =>
      save({
        tokens: { ...tokens, ...(scope && { scope }), grantedAt: now() },
        neededScope: undefined,
        ...(pending.client && { client: pending.client }),
      }),
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
  const row = requireAccount(actor, id);
  const { auth, computeScopeUnion } = await import("@modelcontextprotocol/client");
  let page: URL | undefined;
  try {
    const challenge = await readOAuthChallenge(row);
    const { tokens, neededScope } = readCredentials(row);
    const scope = neededScope
      ? computeScopeUnion(challenge?.scope, tokens?.scope, neededScope)
      : challenge?.scope;
    const pending: Pending = {
      state: newSecret(),
      verifier: "",
      userId: actor.userId,
      startedAt: now(),
      redirectUrl: callbackAt(origin),
      ...(scope && { scope }),
      ...(neededScope && { isWider: true }),
    };
    const provider = providerFor(row, pending, (url) => {
      page = url;
    });
    await auth(provider, {
      serverUrl: row.target,
      fetchFn: oauthFetch(row),
      ...challenge,
      ...(scope && { scope }),
    });
    assertOneServer(readCredentials(row), row.title);
    updateCredentials(row, { pending });
  } catch (error) {
    throw toAppError(error, row.title);
  }
  return { url: checkedPage(page, row.title).href };
}

/** Single use; same person, within the time limit. */
function takePending(actor: Actor, state: string): { row: Account; pending: Pending } {
  for (const server of listMcpServerRows(db(), actor.orgId)) {
    if (!server.usesOAuth) continue;
    const row: Account = server.accounts === "personal" ? { ...server, userId: actor.userId } : server;
    const { pending } = readCredentials(row);
    if (!pending || pending.userId !== actor.userId || !sameSecret(pending.state, state)) continue;
    updateCredentials(row, { pending: undefined });
    if (isPendingValid(pending)) return { row, pending };
  }
  throw new AppError("gone", "This sign-in has expired or was used. Connect the server again.");
}

async function exchange(row: Account, pending: Pending, answer: URLSearchParams): Promise<void> {
  const { auth } = await import("@modelcontextprotocol/client");
  const code = answer.get("code");
  // The URL's reason is untrusted.
  if (!code) throw new AppError("cancelled", `The sign-in at ${row.title} was declined.`);
  const iss = answer.get("iss");
  const metadata = metadataOf(readCredentials(row));
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
 * Stores tokens, and lists the server's tools for who may choose them.
 * @throws AppError `gone` for an unknown or expired sign-in; `cancelled` if declined
 */
export async function finishConnect(
  actor: Actor,
  answer: URLSearchParams,
  signal: AbortSignal,
): Promise<{ id: string; title: string; isOwn: boolean; server: McpServer | undefined }> {
  authorise(actor, "chat.use");
  const { row, pending } = takePending(actor, answer.get("state") ?? "");
  const { id, title } = row;
  const isOwn = row.userId !== undefined;
  if (!isOwn) authorise(actor, "plugins.manage");
  await exchange(row, pending, answer);
  transaction((tx) =>
    append(tx, actor, {
      action: isOwn ? "extension.account_connected" : "extension.server_connected",
      resource: `plugin:${id}`,
      details: { title, server: new URL(row.target).host },
    }),
  );
  await closeAccount(accountId(row));
  const server = may(actor, "plugins.manage") ? await refreshMcpServer(actor, id, signal) : undefined;
  publish({ topic: "plugins", orgId: actor.orgId });
  return { id, title, isOwn, server };
}

/** RFC 7009, if supported. */
async function revoke(row: McpServerRow, credentials: Credentials): Promise<void> {
  const { tokens } = credentials;
  const metadata = metadataOf(credentials);
  const client = registeredClient(row, metadata) ?? credentials.client;
  const endpoint = metadata.revocation_endpoint;
  const token = tokens?.refresh_token ?? tokens?.access_token;
  if (!token || !client || typeof endpoint !== "string") return;
  const response = await oauthFetch(row)(endpoint, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    // A client with a secret would need its own way of authentication, which the endpoint names.
    body: new URLSearchParams({ token, client_id: client.client_id }).toString(),
  });
  await response.body?.cancel();
}

/** In the background: the tokens are deleted already. */
async function revokeDeleted(row: McpServerRow, credentials: Credentials): Promise<void> {
  await revoke(row, credentials).catch((error: unknown) =>
    log.warn("tokens of an MCP server weren't revoked", { purpose: `plugin:${row.id}`, error }),
  );
}

/** Deletes and revokes tokens: the shared account's as an admin, else those of one's own. */
export async function disconnectAccount(actor: Actor, id: string): Promise<{ title: string }> {
  const row = requireAccount(actor, id);
  const { title, userId } = row;
  const credentials = readCredentials(row);
  transaction((tx) => {
    if (userId === undefined) saveMcpServerRow(tx, { ...requireServer(actor.orgId, id), credentials: null });
    else deleteMcpAccountRow(tx, { orgId: actor.orgId, serverId: id, userId });
    append(tx, actor, {
      action: userId === undefined ? "extension.server_disconnected" : "extension.account_disconnected",
      resource: `plugin:${id}`,
      details: { title },
    });
  });
  await closeAccount(accountId(row));
  await revokeDeleted(row, credentials);
  publish({ topic: "plugins", orgId: actor.orgId });
  return { title };
}

/** Chooses whose account the calls use. The tokens of the other way are deleted. */
export async function chooseAccounts(
  actor: Actor,
  id: string,
  { accounts }: McpAccountsInput,
): Promise<McpServer> {
  authorise(actor, "plugins.manage");
  const row = requireServer(actor.orgId, id);
  if (!row.usesOAuth) throw new AppError("conflict", `${row.title} doesn't require a sign-in.`);
  if (row.accounts !== accounts) {
    const shared = readCredentials(row);
    transaction((tx) => {
      forgetMcpCredentials(tx, actor.orgId, id);
      const current = requireServer(actor.orgId, id);
      saveMcpServerRow(tx, { ...current, accounts, updatedAt: laterThan(current.updatedAt, now()) });
      append(tx, actor, {
        action: "extension.accounts_chosen",
        resource: `plugin:${id}`,
        details: { title: row.title, accounts },
      });
    });
    await disconnectServer(id);
    await revokeDeleted(row, shared);
    publish({ topic: "plugins", orgId: actor.orgId });
  }
  return readMcpServer(actor, id);
}

/** The person's own accounts at the active servers that want one. */
export function listOwnAccounts(actor: Actor): McpOwnAccount[] {
  if (!may(actor, "chat.use")) return [];
  return listActiveServerRows(db(), actor.orgId)
    .filter(({ usesOAuth, accounts }) => usesOAuth && accounts === "personal")
    .map(({ id, orgId, title, target }) => {
      const { tokens, neededScope } = readCredentials({ id, orgId, userId: actor.userId });
      return {
        id,
        title,
        url: target,
        connected: tokens !== undefined,
        issuer: tokens?.issuer ?? null,
        neededScope: neededScope ?? null,
      };
    });
}

/** Deletes the accounts of a person who goes. @returns what closes their connections, after the commit */
export function forgetAccountsOf(tx: Db, { orgId, userId }: { orgId: string; userId: string }): () => void {
  const deleted = deleteMcpAccountsOf(tx, orgId, userId);
  return () => {
    for (const { serverId } of deleted) void closeAccount(accountId({ id: serverId, userId }));
  };
}
