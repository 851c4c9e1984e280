import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { startEverything } from "./mcp-server";

export interface ProtectedServer {
  /** The endpoint that requires a token. */
  url: string;
  issuer: string;
  /** Requested paths of the authorization server. */
  requestedPaths: string[];
  /** Methods that need no token. */
  open: Set<string>;
  /** The scope that calls of tools need beside `mcp`. */
  callScope: string | undefined;
  /** Expires all access tokens. */
  expireAccess(): Promise<void>;
  close(): Promise<void>;
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}

const close = (server: Server) =>
  new Promise<void>((closed) => {
    server.close(() => closed());
    server.closeAllConnections();
  });

function configuration() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256", kid: "test" }] },
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    cookies: { keys: ["only for tests"] },
    scopes: ["openid", "offline_access", "mcp", "mcp:write"],
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    ttl: { Session: 3600, Interaction: 600, Grant: 3600, AccessToken: 600, RefreshToken: 3600 },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: "mcp mcp:write",
          audience: resource,
          accessTokenFormat: "opaque",
        }),
      },
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const methodOf = (body: Buffer) =>
  body.length > 0 ? (JSON.parse(body.toString()) as { method: string }).method : "";

async function forward(
  to: string,
  request: IncomingMessage,
  body: Buffer<ArrayBuffer>,
  response: ServerResponse,
): Promise<void> {
  const headers = new Headers();
  for (const name of ["accept", "content-type", "mcp-session-id", "mcp-protocol-version", "mcp-method"]) {
    const value = request.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  const answer = await fetch(to, {
    method: request.method ?? "GET",
    headers,
    ...(body.length > 0 ? { body } : {}),
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}

/** The protocol's test server behind oidc-provider: registration, PKCE, rotation. */
export async function startProtectedServer(): Promise<ProtectedServer> {
  const everything = await startEverything();
  const granted = new Set<string>();
  const requestedPaths: string[] = [];
  const open = new Set<string>();
  let provider: Provider | undefined;
  const authority = createServer((request, response) => {
    requestedPaths.push((request.url ?? "").split("?")[0] ?? "");
    provider?.callback()(request, response);
  });
  const issuer = await listen(authority);
  provider = new Provider(issuer, configuration());

  const front = createServer(async (request, response) => {
    const origin = `http://${request.headers.host}`;
    const metadata = "/.well-known/oauth-protected-resource/mcp";
    if (request.url === metadata) {
      const document = {
        resource: `${origin}/mcp`,
        authorization_servers: [issuer],
        scopes_supported: ["mcp"],
      };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
      return;
    }
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    const body = await readBody(request);
    if (!open.has(methodOf(body)) && !(await provider?.AccessToken.find(token))) {
      const challenge = `Bearer resource_metadata="${origin}${metadata}", scope="mcp"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
      return;
    }
    granted.add(token);
    const { callScope } = protectedServer;
    const scopes = (await provider?.AccessToken.find(token))?.scope?.split(" ") ?? [];
    if (callScope && methodOf(body) === "tools/call" && !scopes.includes(callScope)) {
      const challenge = `Bearer error="insufficient_scope", scope="${callScope}", resource_metadata="${origin}${metadata}"`;
      response.writeHead(403, { "www-authenticate": challenge }).end();
      return;
    }
    await forward(everything.url, request, body, response);
  });
  const origin = await listen(front);
  const protectedServer: ProtectedServer = {
    callScope: undefined,
    url: `${origin}/mcp`,
    issuer,
    requestedPaths,
    open,
    async expireAccess() {
      for (const token of granted) await (await provider?.AccessToken.find(token))?.destroy();
    },
    async close() {
      await Promise.all([close(front), close(authority), everything.close()]);
    },
  };
  return protectedServer;
}
