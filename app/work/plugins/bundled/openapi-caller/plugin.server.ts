import { z } from "zod";
import { AppError } from "~/core/errors";
import { clip } from "~/core/well-formed";
import { definePlugin, definePluginTool, type PluginContext } from "../../plugin";
import { readOutsideText, readText } from "../outside-text.server";
import { buildRequest } from "./operations";

const TEXT_LIMIT = 20_000;

async function describe({ settings, fetch, signal }: PluginContext) {
  const address = String(settings.description);
  const text = await readText(await fetch(address, { signal }));
  const document = await readOutsideText({ kind: "operations", text }, signal);
  const base = String(settings.address) || new URL(document.server ?? "/", address).href;
  return { ...document, base };
}

export const openapiCaller = definePlugin(
  {
    id: "openapi-caller",
    title: "OpenAPI Caller",
    icon: "Code",
    description:
      "Connects any HTTP API that has an OpenAPI 3 description: a model lists its operations and calls them with checked parameters. A key reference signs in with a bearer token or a header of your choice.",
    tags: ["openapi", "api", "rest"],
    version: "1.0.0",
    released: "2026-11-20",
    status: "beta",
    categories: ["developer"],
    settings: [
      {
        name: "description",
        label: "Description address",
        hint: "Enter the address of the API's openapi.json",
        required: true,
        control: { kind: "url" },
      },
      {
        name: "address",
        label: "API address",
        hint: "Leave blank to use the first server of the description",
        control: { kind: "url" },
      },
      { name: "token", label: "Key", hint: "Leave blank for an open API", control: { kind: "key" } },
      {
        name: "header",
        label: "Key header",
        hint: "Leave blank to send the key as a bearer token",
        control: { kind: "text", maxLength: 60 },
      },
      {
        name: "readOnly",
        label: "Read only",
        hint: "Turn off to allow operations other than GET",
        control: { kind: "switch", default: true },
      },
    ],
    requests: { hosts: ["{description}", "{address}"], keys: ["token"], effects: ["outside"] },
  },
  [
    definePluginTool({
      name: "operations",
      title: "List an API's operations",
      description:
        "Lists the operations of the configured API with their ids and parameters. Call this before call.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({
        contains: z.string().max(100).default("").describe("Only operations that contain this text"),
      }),
      async run({ contains }, context) {
        const { title, operations } = await describe(context);
        const filter = contains.toLowerCase();
        const matches = operations.filter((one) => JSON.stringify(one).toLowerCase().includes(filter));
        return { title, operations: matches.slice(0, 60), total: matches.length };
      },
    }),
    definePluginTool({
      name: "call",
      title: "Call an API's operation",
      description:
        "Calls one operation of the configured API by its id, with parameters by name and an optional JSON body.",
      effect: "outside",
      input: z.object({
        operation: z.string().min(1).max(200).describe("Id from operations"),
        parameters: z.record(z.string().max(100), z.unknown()).default({}),
        body: z.unknown().optional().describe("JSON body"),
      }),
      async run({ operation: id, parameters, body }, context) {
        const { settings, fetch, key, signal } = context;
        const { operations, base } = await describe(context);
        const operation = operations.find((one) => one.id === id);
        if (!operation)
          throw new AppError("not_found", `The API has no operation "${id}". List its operations first.`);
        if (settings.readOnly && operation.method !== "get")
          throw new AppError(
            "forbidden",
            "This API is read only here. An admin can change that under Extensions.",
          );
        const { url, headers } = buildRequest(operation, base, parameters);
        const token = key("token", url.origin);
        const header = String(settings.header) || "authorization";
        if (token) headers[header] = settings.header ? token : `Bearer ${token}`;
        const response = await fetch(url, {
          method: operation.method.toUpperCase(),
          headers: {
            accept: "application/json",
            ...headers,
            ...(body !== undefined && { "content-type": "application/json" }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          // A redirect would receive the key.
          redirect: "error",
          signal,
        });
        const text = await response.text();
        return { status: response.status, body: clip(text, TEXT_LIMIT), truncated: text.length > TEXT_LIMIT };
      },
    }),
  ],
);
