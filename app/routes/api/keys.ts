import { z } from "zod";
import { KeyInput, KeyReference } from "~/features/keys/keys.schema";
import { addKey, listKeys } from "~/features/keys/keys.service.server";
import { created, endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/keys",
  tag: "Keys",
  GET: endpoint({
    summary: "The key references, each with whether its variable is set",
    access: "keys.manage",
    response: z.array(KeyReference),
    handle: ({ actor }) => listKeys(actor),
  }),
  POST: endpoint({
    summary: "Reference a key by the name of its environment variable",
    description: "No key is taken, stored or answered: only the variable's name, bound to one origin.",
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
