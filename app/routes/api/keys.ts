import { z } from "zod";
import { created, endpoint, resource } from "~/http/resource.server";
import { KeyInput, KeyReference } from "~/team/keys/keys.schema";
import { addKey, listKeys } from "~/team/keys/keys.service.server";

const route = resource({
  path: "/api/keys",
  tag: "Keys",
  GET: endpoint({
    summary: "List key references and whether their variables are set",
    access: "keys.manage",
    response: z.array(KeyReference),
    handle: ({ actor }) => listKeys(actor),
  }),
  POST: endpoint({
    summary: "Add a key reference by the name of its environment variable",
    description: "Keys are never sent, stored or returned, only the variable's name, bound to one origin.",
    access: "keys.manage",
    body: KeyInput,
    response: KeyReference,
    status: 201,
    handle: ({ actor, body }) => {
      const key = addKey(actor, body);
      return created(key, `/api/keys/${key.id}`);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
