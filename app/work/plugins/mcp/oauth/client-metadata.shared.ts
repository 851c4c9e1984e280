import type { ClientDocument, ClientMetadata } from "./client-metadata.schema";

const OAUTH_CALLBACK = "/api/mcp-oauth/callback";
const CLIENT_DOCUMENT = "/api/mcp-oauth/client";

/** @param origin the console's own address */
export const callbackAt = (origin: string): string => new URL(OAUTH_CALLBACK, origin).href;

export const clientMetadata = (name: string, redirectUrl: string): ClientMetadata => ({
  client_name: name,
  redirect_uris: [redirectUrl],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
});

/** The client id without a registration; needs https. */
export function clientDocumentUrl(origin: string): string | undefined {
  const url = new URL(CLIENT_DOCUMENT, origin);
  return url.protocol === "https:" ? url.href : undefined;
}

/** draft-ietf-oauth-client-id-metadata-document. */
export const clientDocument = (name: string, origin: string): ClientDocument => ({
  client_id: new URL(CLIENT_DOCUMENT, origin).href,
  ...clientMetadata(name, callbackAt(origin)),
});
