import { z } from "zod";
import { KeyOriginInput, KeyReference } from "~/features/keys/keys.schema";
import { changeKeyOrigin, readKey, removeKey } from "~/features/keys/keys.service.server";
import { endpoint, reply, resource } from "~/http/resource.server";

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
    access: "keys.manage",
    params,
    status: 204,
    handle: ({ actor, params }) => {
      removeKey(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
