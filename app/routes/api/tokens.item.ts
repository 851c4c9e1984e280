import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { getToken, revokeToken } from "~/team/members/token.service.server";
import { ApiToken } from "~/team/members/tokens.schema";

const params = z.object({ id: z.string() });

const route = resource({
  path: "/api/tokens/{id}",
  tag: "API tokens",
  GET: endpoint({
    summary: "Get one of your API tokens",
    access: "tokens.manage",
    params,
    response: ApiToken,
    handle: ({ actor, params: { id } }) => getToken(actor, id),
  }),
  DELETE: endpoint({
    summary: "Revoke an API token",
    access: "tokens.manage",
    params,
    status: 204,
    handle: ({ actor, params: { id } }) => {
      revokeToken(actor, id);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
