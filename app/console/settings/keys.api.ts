import { z } from "zod";
import { created, endpoint, endpoints, nothing } from "~/platform/endpoint/endpoint.shared";
import { KeyInput, KeyOriginInput, KeyReference } from "~/team/keys/keys.schema";
import { addKey, changeKeyOrigin, listKeys, readKey } from "~/team/keys/keys.service.server";
import { removeKeyInUse } from "./key-uses.service.server";

const params = z.object({ id: z.string() });

export const keysApi = endpoints("Keys", [
  endpoint({
    method: "GET",
    path: "/api/keys/{id}",
    summary: "Get a key reference",
    access: "keys.manage",
    params,
    response: KeyReference,
    handle: ({ actor, params }) => readKey(actor, params.id),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/keys/{id}",
    summary: "Bind a key reference to another origin",
    description: "Owners only, since it decides where the key is sent.",
    access: "keys.origin",
    params,
    body: KeyOriginInput,
    response: KeyReference,
    handle: ({ actor, params, body }) => changeKeyOrigin(actor, params.id, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/keys/{id}",
    summary: "Remove a key reference",
    description: "409 while something uses it, unless `confirm` is `in-use`.",
    access: "keys.manage",
    params,
    query: z.object({ confirm: z.literal("in-use").optional() }),
    status: 204,
    handle: ({ actor, params, query }) => {
      removeKeyInUse(actor, params.id, { confirmed: query.confirm !== undefined });
      return nothing();
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/keys",
    summary: "List key references and whether their variables are set",
    access: "keys.manage",
    response: z.array(KeyReference),
    handle: ({ actor }) => listKeys(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/keys",
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
]);
