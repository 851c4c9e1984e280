import { z } from "zod";
import { type EndpointDescription, METHODS } from "~/platform/endpoint/endpoint.shared";
import { apiTable } from "./api.server";

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

function describe(path: string, method: string, endpoint: EndpointDescription) {
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
    produces: endpoint.produces ?? (endpoint.status === 204 ? "" : "application/json"),
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
        const { tag, path, [method]: endpoint } = definition;
        if (!endpoint) return [];
        const operation = describe(path, method, endpoint);
        const text = [tag, method, path, operation.summary, operation.description].join(" ").toLowerCase();
        return [{ tag, operation, text }];
      }),
    );
}

let described: readonly TaggedOperation[] | undefined;

/**
 * All calls by tag for the API reference, from the same source as the OpenAPI document.
 * @param search words in a call's tag, method, path or description; blank for all calls
 */
export function apiReference(search: string): { tag: string; operations: Operation[] }[] {
  described ??= describeAll();
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, Operation[]>();
  for (const { tag, operation, text } of described) {
    if (!words.every((word) => text.includes(word))) continue;
    const operations = groups.get(tag) ?? [];
    operations.push(operation);
    groups.set(tag, operations);
  }
  return [...groups].map(([tag, operations]) => ({ tag, operations }));
}
