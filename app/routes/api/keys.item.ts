import { z } from "zod";
import { removeKeyInUse } from "~/console/settings/key-uses.service.server";
import { endpoint, reply, resource } from "~/http/resource.server";
import { KeyOriginInput, KeyReference } from "~/team/keys/keys.schema";
import { changeKeyOrigin, readKey } from "~/team/keys/keys.service.server";

const params = z.object({ id: z.string() });

const route = resource({
  path: "/api/keys/{id}",
  tag: "Keys",
  GET: endpoint({
    summary: "Get a key reference",
    access: "keys.manage",
    params,
    response: KeyReference,
    handle: ({ actor, params }) => readKey(actor, params.id),
  }),
  PATCH: endpoint({
    summary: "Bind a key reference to another origin",
    description: "Owners only, since it decides where the key is sent.",
    access: "keys.origin",
    params,
    body: KeyOriginInput,
    response: KeyReference,
    handle: ({ actor, params, body }) => changeKeyOrigin(actor, params.id, body),
  }),
  DELETE: endpoint({
    summary: "Remove a key reference",
    description: "409 while something uses it, unless `confirm` is `in-use`.",
    access: "keys.manage",
    params,
    query: z.object({ confirm: z.literal("in-use").optional() }),
    status: 204,
    handle: ({ actor, params, query }) => {
      removeKeyInUse(actor, params.id, { confirmed: query.confirm !== undefined });
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
