import { z } from "zod";
import type { N8nNode, Parameters } from "./n8n.schema";
import { toCondition } from "./n8n-conditions.server";
import { typeOf } from "./n8n-graph";
import { checked, NoCounterpart, type Resolve, toExpression, toTemplate } from "./n8n-values.server";

/** Steps of a node: a Switch is a condition for each of its rules, each after the former's "false". */
export interface StepParts {
  type: string;
  configs: Record<string, unknown>[];
  /** Step and branch of each of the node's outputs. */
  outputs: { step: number; branch?: string }[];
  /** Where the node's output is in its step's. */
  path: readonly string[];
}

const single = (type: string, config: Record<string, unknown>, path: readonly string[] = []): StepParts => ({
  type,
  configs: [config],
  outputs: [{ step: 0 }],
  path,
});

const Pairs = z.object({
  parameters: z.array(z.object({ name: z.string().max(500), value: z.unknown().optional() })).max(100),
});
const pairsOf = (value: unknown) => Pairs.safeParse(value).data?.parameters ?? [];

function addQuery(url: string, parameters: Parameters): string {
  if (parameters.sendQuery === false) return url;
  const query = pairsOf(parameters.queryParameters).map(({ name, value }) => {
    if (typeof value !== "string" || value.startsWith("="))
      throw new NoCounterpart("its query has expressions: write them into the address");
    return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  });
  return query.length === 0 ? url : `${url}${url.includes("?") ? "&" : "?"}${query.join("&")}`;
}

function bodyOf(parameters: Parameters, resolve: Resolve): string {
  if (parameters.sendBody !== true) return "";
  const { contentType = "json", specifyBody = "keypair", jsonBody, body, bodyParameters } = parameters;
  if (contentType === "raw") return toTemplate(body, resolve);
  if (contentType !== "json")
    throw new NoCounterpart(`its body is of the kind "${String(contentType).slice(0, 40)}"`);
  if (specifyBody === "json") return toTemplate(jsonBody, resolve);
  const members = pairsOf(bodyParameters).map(
    ({ name, value }) => `${JSON.stringify(name)}: ${toExpression(value, resolve)}`,
  );
  return `{{ ${checked(`json({${members.join(", ")}})`)} }}`;
}

function toHttpRequest({ parameters }: N8nNode, resolve: Resolve): StepParts {
  const { method = parameters.requestMethod ?? "GET", url, authentication = "none" } = parameters;
  if (authentication !== "none")
    throw new NoCounterpart("it uses credentials: add an HTTP Request with a key reference");
  const sent = parameters.sendHeaders === false ? [] : pairsOf(parameters.headerParameters);
  const headers = sent.map(({ name, value }) => `${name}: ${toTemplate(value, resolve)}`);
  const body = bodyOf(parameters, resolve);
  if (
    body !== "" &&
    parameters.contentType !== "raw" &&
    !headers.some((line) => /^content-type:/i.test(line))
  )
    headers.push("Content-Type: application/json");
  const config = {
    method,
    url: addQuery(toTemplate(url, resolve), parameters),
    headers: headers.join("\n"),
    body,
  };
  return single("http_request", config, ["body"]);
}

/** A condition that can't be translated is one that never holds, so that nothing after it runs by mistake. */
const NEVER = "false";

const conditionConfig = (condition: string) => ({
  condition,
  trueAction: "continue",
  falseAction: "stop",
});

type Note = (reason: string) => void;

function conditionOf(parameters: unknown, resolve: Resolve, note: Note): string {
  try {
    return toCondition(parameters, resolve);
  } catch (error) {
    if (!(error instanceof NoCounterpart)) throw error;
    note(`${error.message}; it is imported as a condition that never holds`);
    return NEVER;
  }
}

function toIf({ parameters }: N8nNode, resolve: Resolve, note: Note): StepParts {
  return {
    type: "condition",
    configs: [conditionConfig(conditionOf(parameters, resolve, note))],
    outputs: [
      { step: 0, branch: "true" },
      { step: 0, branch: "false" },
    ],
    path: [],
  };
}

const Rules = z.object({ rules: z.object({ values: z.array(z.unknown()).min(1).max(20) }) });

function toSwitch({ parameters }: N8nNode, resolve: Resolve, note: Note): StepParts {
  const values = Rules.safeParse(parameters).data?.rules.values;
  if (!values) throw new NoCounterpart("its rules are of an older version or an expression");
  const outputs = values.map((_, step) => ({ step, branch: "true" }));
  return {
    type: "condition",
    configs: values.map((rule) => conditionConfig(conditionOf(rule, resolve, note))),
    // The fallback is the output after the rules'.
    outputs: [...outputs, { step: values.length - 1, branch: "false" }],
    path: [],
  };
}

const SECONDS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };

function toDelay({ parameters, typeVersion }: N8nNode): StepParts {
  const { resume = "timeInterval", amount = typeVersion < 1.1 ? 1 : 5 } = parameters;
  const unit = parameters.unit ?? (typeVersion < 1.1 ? "hours" : "seconds");
  const seconds = Number(amount) * (SECONDS[String(unit)] ?? Number.NaN);
  if (resume !== "timeInterval" || !Number.isFinite(seconds))
    throw new NoCounterpart("it waits for something other than a number of seconds, minutes, hours or days");
  return single("delay", { seconds: Math.max(1, Math.round(seconds)) });
}

function toReturn({ parameters }: N8nNode, resolve: Resolve): StepParts {
  const { respondWith = "firstIncomingItem", responseBody } = parameters;
  if (respondWith === "json" || respondWith === "text")
    return single("return", { value: toTemplate(responseBody, resolve) });
  if (respondWith === "firstIncomingItem")
    return single("return", { value: `{{ ${checked(resolve(undefined, []))} }}` });
  if (respondWith === "noData") return single("return", { value: "" });
  throw new NoCounterpart(`it responds with "${String(respondWith).slice(0, 40)}"`);
}

function toEach({ typeVersion }: N8nNode, resolve: Resolve): StepParts {
  const each = { step: 0, branch: "each" };
  const done = { step: 0, branch: "done" };
  return {
    type: "each",
    configs: [{ items: checked(resolve(undefined, [])), maxItems: 100, bodySteps: 1 }],
    outputs: typeVersion < 3 ? [each, done] : [done, each],
    path: [],
  };
}

const STEPS: Readonly<Record<string, (node: N8nNode, resolve: Resolve, note: Note) => StepParts>> = {
  httpRequest: toHttpRequest,
  if: toIf,
  switch: toSwitch,
  wait: toDelay,
  respondToWebhook: toReturn,
  splitInBatches: toEach,
};

export const isLoop = (node: N8nNode): boolean => typeOf(node) === "splitInBatches";

/** @param note says what of the node is to be mended @throws NoCounterpart, also for a type that has none */
export function toSteps(node: N8nNode, resolve: Resolve, note: Note): StepParts {
  const type = typeOf(node);
  const make = Object.hasOwn(STEPS, type) ? STEPS[type] : undefined;
  if (!make) throw new NoCounterpart("this console has no such step");
  return make(node, resolve, note);
}
