import { z } from "zod";
import { createToken, listTokens } from "~/features/members/token.service.server";
import { ApiToken, NewApiToken, TokenInput } from "~/features/members/tokens.schema";
import { created, endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/tokens",
  tag: "API tokens",
  GET: endpoint({
    summary: "One's own API tokens, the newest first",
    access: "tokens.manage",
    response: z.array(ApiToken),
    handle: ({ actor }) => listTokens(actor),
  }),
  POST: endpoint({
    summary: "Make an API token",
    description: "The answer is the only place where the token stands. A token can't make tokens.",
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
