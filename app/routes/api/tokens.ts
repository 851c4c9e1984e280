import { z } from "zod";
import { created, endpoint, resource } from "~/http/resource.server";
import { createToken, listTokens } from "~/team/members/token.service.server";
import { ApiToken, NewApiToken, TokenInput } from "~/team/members/tokens.schema";

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
