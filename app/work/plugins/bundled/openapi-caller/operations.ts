import { z } from "zod";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

const Parameter = z.object({
  name: z.string().max(100),
  in: z.enum(["path", "query", "header", "cookie"]),
  required: z.boolean().default(false),
  description: z.string().default(""),
});
const Document = z.object({
  openapi: z.string().regex(/^3\./, "Only OpenAPI 3 is supported"),
  info: z.object({ title: z.string().default("") }).default({ title: "" }),
  servers: z.array(z.object({ url: z.string() })).default([]),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});

export interface Operation {
  id: string;
  method: (typeof METHODS)[number];
  path: string;
  summary: string;
  parameters: z.infer<typeof Parameter>[];
  takesBody: boolean;
}

const MAX_OPERATIONS = 300;

function parametersOf(values: unknown): z.infer<typeof Parameter>[] {
  if (!Array.isArray(values)) return [];
  return values.flatMap((value) => {
    const parsed = Parameter.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });
}

function toOperation(path: string, method: Operation["method"], shared: unknown, value: unknown): Operation {
  const { operationId, summary, description, parameters, requestBody } = value as Record<string, unknown>;
  const text = [summary, description].find((one) => typeof one === "string") ?? "";
  return {
    id: typeof operationId === "string" ? operationId.slice(0, 100) : `${method} ${path}`,
    method,
    path,
    summary: String(text).slice(0, 300),
    parameters: [...parametersOf(shared), ...parametersOf(parameters)].slice(0, 30),
    takesBody: requestBody !== undefined,
  };
}

function parse(text: string): unknown {
  try {
    return parseWellFormed(text);
  } catch {
    return undefined;
  }
}

/** @throws AppError `unprocessable` */
export function readOperations(text: string): {
  title: string;
  server: string | undefined;
  operations: Operation[];
} {
  const parsed = Document.safeParse(parse(text));
  if (!parsed.success)
    throw new AppError("unprocessable", "The description isn't an OpenAPI 3 document in JSON.");
  const { info, servers, paths } = parsed.data;
  // Another start would change the host that the path is appended to.
  const own = Object.entries(paths).filter(([path]) => path.startsWith("/"));
  const operations = own.flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const isObject = typeof operation === "object" && operation !== null;
      return isObject ? [toOperation(path, method, item.parameters, operation)] : [];
    }),
  );
  return { title: info.title, server: servers[0]?.url, operations: operations.slice(0, MAX_OPERATIONS) };
}

/** @throws AppError `invalid` for a missing parameter */
export function buildRequest(operation: Operation, base: string, values: Readonly<Record<string, unknown>>) {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let { path } = operation;
  for (const { name, in: location, required } of operation.parameters) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined || value === null) {
      if (required)
        throw new AppError("invalid", `The parameter "${name}" is missing. Add it and call again.`);
      continue;
    }
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    // One segment: it can't lead to another operation.
    if (location === "path" && /^\.{0,2}$/.test(text))
      throw new AppError("invalid", `"${name}" can't be empty, "." or "..". Enter another value.`);
    if (location === "path") path = path.replaceAll(`{${name}}`, encodeURIComponent(text));
    if (location === "query") query.append(name, text);
    if (location === "header" && /^[\w-]+$/.test(name) && !/^(?:authorization|cookie|host)$/i.test(name))
      headers[name] = text.replaceAll(/[^\x20-\x7e]/g, " ");
  }
  const search = query.size > 0 ? `?${query}` : "";
  return { url: new URL(`${base.replace(/\/+$/, "")}${path}${search}`), headers };
}
