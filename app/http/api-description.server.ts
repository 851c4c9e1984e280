import { z } from "zod";
import { searchMatcher } from "~/core/language/find-terms";
import { type Endpoint, METHODS, needsNoBody } from "~/platform/endpoint/endpoint.shared";
import { apiTable } from "./api.server";

type Json = Record<string, unknown>;
type ApiDefinition = ReturnType<typeof apiTable> extends Map<string, infer D> ? D : never;

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json;
  return rest;
}

function parameters(endpoint: Endpoint): Json[] {
  return (["path", "query"] as const).flatMap((location) => {
    const schema = location === "path" ? endpoint.params : endpoint.query;
    if (!schema) return [];
    const { properties = {}, required = [] } = jsonSchema(schema, "input") as {
      properties?: Record<string, Json>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, { description, ...property }]) => ({
      name,
      in: location,
      required: location === "path" || required.includes(name),
      ...(description ? { description } : {}),
      schema: property,
    }));
  });
}

/** What each status of a refusal means. */
const REFUSALS: Readonly<Record<string, string>> = {
  "400": "The request is not valid; `errors` names the fields.",
  "401": "Signed out.",
  "402": "The budget is used up.",
  "403": "The role or the token's scopes don't allow it.",
  "404": "The object doesn't exist.",
  "408": "The request came too slowly.",
  "406": "The caller doesn't accept the response's media type.",
  "409": "The object's state doesn't allow it.",
  "410": "The object or its link is gone.",
  "413": "The body is too large.",
  "415": "The body has another media type.",
  "422": "The request can't be carried out.",
  "429": "Too many requests; `Retry-After` names the pause.",
  "500": "An unexpected error.",
  "502": "A service that it depends on failed.",
  "503": "Unavailable for the moment.",
  "504": "A service that it depends on took too long.",
  "507": "The disk is full.",
};

/** Refusals that a call can meet, by its declaration. */
function refusalsOf({ access, body, form, method, params, rawBody, refusals = [] }: Endpoint): string[] {
  const changes = method !== "GET";
  const reads = body ?? rawBody ?? form;
  const all = [
    ...["400", "429", "500", "503"],
    ...refusals.map(String),
    ...(access === "public" ? [] : ["401", "403"]),
    ...(params || reads ? ["404"] : []),
    ...(changes ? ["409", "410", "422", "502", "504", "507"] : []),
    ...(reads ? ["408", "413", "415"] : []),
  ];
  return [...new Set(all)].sort();
}

/** Shared, as each call has most of them. @param used their names */
function refusalResponses(name: string, type: string, used: ReadonlySet<string>): Json {
  const content = { [type]: { schema: { $ref: `#/components/schemas/${name}` } } };
  const responses = Object.entries(REFUSALS).map(([status, description]): [string, Json] => [
    `${name}${status}`,
    { description, content },
  ]);
  const rest = { description: "Another refusal.", content };
  const all: [string, Json][] = [...responses, [`${name}Other`, rest]];
  return Object.fromEntries(all.filter(([key]) => used.has(key)));
}

const mediaTypesOf = ({ produces = [] }: Endpoint): readonly string[] =>
  typeof produces === "string" ? [produces] : produces;

function requestBody({ rawBody, body = rawBody, form }: Endpoint): Json {
  const schema = body ?? form;
  if (!schema) return {};
  const type = body ? "application/json" : "multipart/form-data";
  const required = !body || !needsNoBody(body);
  return { requestBody: { required, content: { [type]: { schema: jsonSchema(schema, "input") } } } };
}

function operation(endpoint: Endpoint, definition: ApiDefinition, errorName: string): Json {
  const { isTokenOnly, ownRefusal } = definition;
  const refused = (status: string): Json => {
    if (!ownRefusal) return { $ref: `#/components/responses/${errorName}${status}` };
    const content = {
      "application/problem+json": { schema: { $ref: `#/components/schemas/${errorName}` } },
      "application/json": { schema: jsonSchema(ownRefusal, "output") },
    };
    return { description: REFUSALS[status] ?? "Another refusal.", content };
  };
  const contents = Object.fromEntries([
    ...(endpoint.response
      ? [["application/json", { schema: jsonSchema(endpoint.response, "output") }] as const]
      : []),
    ...mediaTypesOf(endpoint).map(
      (type) => [type, { schema: type === "application/json" ? {} : { type: "string" } }] as const,
    ),
  ]);
  const success: Json = {
    description: "Success",
    ...(Object.keys(contents).length > 0 ? { content: contents } : {}),
  };
  const open = endpoint.access === "public";
  const words = `${endpoint.method} ${endpoint.path}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return {
    operationId: words.map((word, index) => (index ? word[0]?.toUpperCase() + word.slice(1) : word)).join(""),
    summary: endpoint.summary,
    description: [
      endpoint.description,
      open
        ? "Public."
        : endpoint.access === "signed-in"
          ? ""
          : `Needs the permission \`${endpoint.access}\`.`,
    ]
      .filter(Boolean)
      .join(" "),
    tags: [endpoint.tag],
    security: open ? [] : isTokenOnly ? [{ token: [] }, { key: [] }] : [{ token: [] }, { session: [] }],
    ...(endpoint.params || endpoint.query ? { parameters: parameters(endpoint) } : {}),
    ...requestBody(endpoint),
    responses: {
      ...Object.fromEntries(
        [endpoint.status, ...(endpoint.otherStatuses ?? [])].map((status) => [
          status,
          status === 204 ? { description: "Done" } : success,
        ]),
      ),
      ...Object.fromEntries(refusalsOf(endpoint).map((status) => [status, refused(status)])),
      default: refused("Other"),
    },
  };
}

/** The OpenAPI 3.1 document, generated from the schemas that parse requests. */
export function openApiDocument(server: string, appName: string): Json {
  const table = [...apiTable().values()].sort((a, b) => a.path.localeCompare(b.path));
  const paths: Json = {};
  const forms = new Map<z.ZodType, string>();
  const nameOf = ({ refusal }: ApiDefinition) => {
    if (!refusal) return "Problem";
    const name = forms.get(refusal) ?? `ProtocolError${forms.size + 1}`;
    forms.set(refusal, name);
    return name;
  };
  for (const definition of table) {
    const operations: Json = {};
    for (const method of METHODS) {
      const endpoint = definition[method];
      if (endpoint) operations[method.toLowerCase()] = operation(endpoint, definition, nameOf(definition));
    }
    paths[definition.path] = operations;
  }
  const references = JSON.stringify(paths).matchAll(/"#\/components\/responses\/(\w+)"/g);
  const used = new Set([...references].map(([, name = ""]) => name));
  return {
    openapi: "3.1.0",
    info: {
      title: `${appName} API`,
      version: "1",
      description: "All API calls. Programs use an API token; lists are arrays paged by `cursor`.",
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: server }],
    tags: [...new Set(table.map((definition) => definition.tag))]
      .sort()
      .map((name) => ({ name, description: `${name}.` })),
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "An API token, `qd_…`" },
        key: { type: "apiKey", in: "header", name: "x-api-key", description: "An API token, `qd_…`" },
        session: { type: "apiKey", in: "cookie", name: "qd_session", description: "The browser's session" },
      },
      responses: Object.assign(
        refusalResponses("Problem", "application/problem+json", used),
        ...[...forms.values()].map((name) => refusalResponses(name, "application/json", used)),
      ) as Json,
      schemas: {
        ...Object.fromEntries([...forms].map(([form, name]) => [name, jsonSchema(form, "output")])),
        Problem: jsonSchema(
          z.object({
            type: z.string(),
            title: z.string(),
            status: z.int(),
            detail: z.string(),
            code: z.string(),
            requestId: z.string().optional(),
            errors: z.record(z.string(), z.array(z.string())).optional(),
          }),
          "output",
        ),
      },
    },
  };
}

interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  description?: string;
  default?: unknown;
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return [...new Set(several.map(typeOf))].join(" | ");
  if (schema.type === "array") return schema.items ? `array of ${typeOf(schema.items)}` : "array";
  return Array.isArray(schema.type) ? schema.type.join(" | ") : (schema.type ?? "any");
}

function fieldsOf(schema: z.ZodType | undefined, io: "input" | "output") {
  if (!schema) return [];
  const whole = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline" }) as JsonSchema;
  const { properties = {}, required = [] } = whole.type === "array" && whole.items ? whole.items : whole;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: typeOf(property),
    required: required.includes(name),
    description: [
      property.description,
      property.default === undefined ? "" : `Default ${JSON.stringify(property.default)}.`,
    ]
      .filter(Boolean)
      .join(" "),
  }));
}

function describe(endpoint: Endpoint) {
  const { method, path } = endpoint;
  return {
    method,
    path,
    summary: endpoint.summary,
    description: endpoint.description ?? "",
    access:
      endpoint.access === "public"
        ? "Public"
        : endpoint.access === "signed-in"
          ? "Any signed-in user"
          : `Permission ${endpoint.access}`,
    parameters: [
      ...fieldsOf(endpoint.params, "input").map((field) => ({ ...field, required: true })),
      ...fieldsOf(endpoint.query, "input"),
    ],
    body: fieldsOf(endpoint.body ?? endpoint.rawBody, "input"),
    answer: fieldsOf(endpoint.response, "output"),
    status: endpoint.status,
    produces: [...(endpoint.response ? ["application/json"] : []), ...mediaTypesOf(endpoint)].join(" or "),
  };
}

type Operation = ReturnType<typeof describe>;

interface TaggedOperation {
  tag: string;
  operation: Operation;
  text: string;
}

function describeAll(): TaggedOperation[] {
  return [...apiTable().values()]
    .sort((a, b) => a.tag.localeCompare(b.tag) || a.path.localeCompare(b.path))
    .flatMap((definition) =>
      METHODS.flatMap((method) => {
        const { tag, [method]: endpoint } = definition;
        if (!endpoint) return [];
        const operation = describe(endpoint);
        const { path, summary, description } = operation;
        return [{ tag, operation, text: [tag, method, path, summary, description].join(" ") }];
      }),
    );
}

let described: readonly TaggedOperation[] | undefined;

/** Found calls whose fields are drawn at once: those of all calls together take a fifth of a second. */
const MAX_WHOLE = 40;

type ListedOperation = Pick<Operation, "method" | "path" | "summary"> & { whole?: Operation };

/**
 * Calls by tag, from the same source as the OpenAPI document.
 *
 * @param search words; blank for all calls
 * @param topic a tag whose calls alone are given, with their fields; found calls have them where they are few
 */
export function apiReference(search: string, topic: string | undefined) {
  described ??= describeAll();
  const matches = searchMatcher(search);
  const tags = new Set(described.map(({ tag }) => tag));
  const chosen = topic !== undefined && tags.has(topic) ? topic : undefined;
  const found = described.filter(({ tag, text }) => (!chosen || tag === chosen) && matches(text));
  const isWhole = chosen !== undefined || (search !== "" && found.length <= MAX_WHOLE);
  const groups = new Map<string, ListedOperation[]>();
  for (const { tag, operation } of found) {
    const { method, path, summary } = operation;
    const listed = { method, path, summary, ...(isWhole && { whole: operation }) };
    groups.set(tag, [...(groups.get(tag) ?? []), listed]);
  }
  return {
    topics: [...tags],
    topic: chosen,
    groups: [...groups].map(([tag, operations]) => ({ tag, operations })),
  };
}
