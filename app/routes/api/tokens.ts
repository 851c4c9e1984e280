import { z } from "zod";
import { createToken, listTokens } from "~/features/members/token.service.server";
import { ApiToken, NewApiToken, TokenInput } from "~/features/members/tokens.schema";
import { created, endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/tokens",
  tag: "API tokens",
  GET: endpoint({
    summary: "List your API tokens, newest first",
    access: "tokens.manage",
    response: z.array(ApiToken),
    handle: ({ actor }) => listTokens(actor),
  }),
  POST: endpoint({
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
});

const loader = route.loader;
const action = route.action;

export { action, loader };
