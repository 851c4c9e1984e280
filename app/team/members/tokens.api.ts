import { z } from "zod";
import { created, endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { createToken, getToken, listTokens, revokeToken } from "./token.service.server";
import { ApiToken, NewApiToken, TokenInput } from "./tokens.schema";

const params = z.object({ id: z.string() });

export const tokensApi = endpoints("API tokens", [
  endpoint({
    method: "GET",
    path: "/api/tokens/{id}",
    summary: "Get one of your API tokens",
    access: "tokens.manage",
    params,
    response: ApiToken,
    handle: ({ actor, params: { id } }) => getToken(actor, id),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/tokens/{id}",
    summary: "Revoke an API token",
    access: "tokens.manage",
    params,
    status: 204,
    handle: ({ actor, params: { id } }) => revokeToken(actor, id),
  }),
  endpoint({
    method: "GET",
    path: "/api/tokens",
    summary: "List your API tokens, newest first",
    access: "tokens.manage",
    response: z.array(ApiToken),
    handle: ({ actor }) => listTokens(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/tokens",
    summary: "Create an API token",
    description: "Only this response contains the token. Tokens can't create tokens.",
    access: "tokens.manage",
    body: TokenInput,
    response: NewApiToken,
    status: 201,
    handle: ({ actor, body }) => {
      const token = createToken(actor, body);
      return created(token, `/api/tokens/${token.id}`);
    },
  }),
]);
