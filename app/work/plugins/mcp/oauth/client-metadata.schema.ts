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
