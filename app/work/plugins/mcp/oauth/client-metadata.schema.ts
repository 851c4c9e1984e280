import { z } from "zod";

/** Registration body, and client ID metadata document. */
export const ClientMetadata = z.object({
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.literal("none"),
});
export type ClientMetadata = z.infer<typeof ClientMetadata>;

export const ClientDocument = ClientMetadata.extend({ client_id: z.string() });
export type ClientDocument = z.infer<typeof ClientDocument>;

const OAUTH_CALLBACK = "/api/mcp-oauth/callback";
const CLIENT_DOCUMENT = "/api/mcp-oauth/client";

/** @param origin the console's own address, with its base path */
export const callbackAt = (origin: string): string => origin + OAUTH_CALLBACK;

export const clientMetadata = (name: string, redirectUrl: string): ClientMetadata => ({
  client_name: name,
  redirect_uris: [redirectUrl],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
});

/** The client id without a registration; needs https. @param redirectUrl from `callbackAt` */
export function clientDocumentUrl(redirectUrl: string): string | undefined {
  if (!redirectUrl.startsWith("https:")) return undefined;
  return redirectUrl.slice(0, -OAUTH_CALLBACK.length) + CLIENT_DOCUMENT;
}

/** draft-ietf-oauth-client-id-metadata-document. */
export const clientDocument = (name: string, origin: string): ClientDocument => ({
  client_id: origin + CLIENT_DOCUMENT,
  ...clientMetadata(name, callbackAt(origin)),
});
