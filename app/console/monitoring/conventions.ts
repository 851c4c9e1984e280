import { type Attributes, SpanKind } from "@opentelemetry/api";
import type { CallFacts, OperationFacts, RequestFacts, RunFacts, StepFacts } from "~/core/telemetry.server";

// Names of https://github.com/open-telemetry/semantic-conventions-genai, as of November 2026. The package of all
// conventions marks its own names of them as deprecated.

/** Attributes that are doubles, whatever their value: stores reject a field whose type changes. */
export const DOUBLES: ReadonlySet<string> = new Set([
  "gen_ai.request.temperature",
  "gen_ai.request.top_p",
  "gen_ai.request.top_k",
  "gen_ai.request.frequency_penalty",
  "gen_ai.request.presence_penalty",
  "gen_ai.response.time_to_first_chunk",
  "quarterdeck.cost_dollars",
]);

/** By the provider's address: many speak another's protocol. */
const PROVIDERS_BY_HOST: readonly [RegExp, string][] = [
  [/(?:^|\.)openai\.azure\.com$|\.cognitiveservices\.azure\.com$/, "azure.ai.openai"],
  [/\.services\.ai\.azure\.com$/, "azure.ai.inference"],
  [/^bedrock(?:-[a-z]+)*\.[\w-]+\.(?:amazonaws\.com|api\.aws)$/, "aws.bedrock"],
  [/^generativelanguage\.googleapis\.com$/, "gcp.gemini"],
  [/(?:^|[.-])aiplatform\.googleapis\.com$/, "gcp.vertex_ai"],
  [/^api\.openai\.com$/, "openai"],
  [/^api\.anthropic\.com$/, "anthropic"],
  [/^api\.cohere\.(?:com|ai)$/, "cohere"],
  [/^api\.deepseek\.com$/, "deepseek"],
  [/^api\.groq\.com$/, "groq"],
  [/^api\.mistral\.ai$/, "mistral_ai"],
  [/^api\.perplexity\.ai$/, "perplexity"],
  [/^api\.x\.ai$/, "x_ai"],
  [/\.ml\.cloud\.ibm\.com$/, "ibm.watsonx.ai"],
];

const PROVIDERS_BY_TYPE: Readonly<Record<string, string>> = { google: "gcp.gemini" };

/** The convention's name of a provider, else its type's. */
export function providerName(providerType: string, origin: string | null | undefined): string {
  const host = origin ? new URL(origin).hostname : "";
  const known = PROVIDERS_BY_HOST.find(([pattern]) => pattern.test(host))?.[1];
  return known ?? PROVIDERS_BY_TYPE[providerType] ?? providerType;
}

export interface SpanFacts {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  durationMs: number;
  failed: boolean;
}

type Value = string | number | boolean | readonly string[] | null | undefined;

const present = (attributes: Record<string, Value>): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined),
  ) as Attributes;

function serverOf(origin: string | null | undefined) {
  if (!origin) return {};
  const { hostname, port, protocol } = new URL(origin);
  const usual = protocol === "https:" ? 443 : 80;
  return { "server.address": hostname.replace(/^\[|\]$/g, ""), "server.port": Number(port || usual) };
}

const orNone = (list: readonly string[] | undefined) => (list && list.length > 0 ? list : undefined);

/** Without prompts, answers, and arguments and results of tools. */
export function callSpan(facts: CallFacts): SpanFacts {
  const { tool, model, outcome, errorCode, source, details } = facts;
  const durationMs = facts.durationMs ?? 0;
  const failed = outcome === "error";
  const shared = {
    "gen_ai.conversation.id": facts.conversationId,
    "quarterdeck.source": source,
    "error.type": failed ? (errorCode ?? "_OTHER") : null,
  };
  if (tool !== null)
    return {
      name: `execute_tool ${tool}`,
      kind: SpanKind.INTERNAL,
      failed,
      durationMs,
      attributes: present({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": details.toolCallId,
        ...shared,
      }),
    };
  // Of calls beside the router the source knows embeddings, which have no output.
  const isEmbedding = source === "knowledge" && !facts.outputTokens;
  const operation = details.operation ?? (isEmbedding ? "embeddings" : "chat");
  return {
    name: `${operation} ${model}`,
    kind: SpanKind.CLIENT,
    failed,
    durationMs,
    attributes: present({
      "gen_ai.operation.name": operation,
      "gen_ai.provider.name": providerName(facts.providerType, details.origin),
      "gen_ai.request.model": model,
      "gen_ai.request.stream": details.isStream || null,
      "gen_ai.request.max_tokens": details.maxTokens,
      "gen_ai.request.temperature": details.temperature,
      "gen_ai.request.top_p": details.topP,
      "gen_ai.request.top_k": details.topK,
      "gen_ai.request.frequency_penalty": details.frequencyPenalty,
      "gen_ai.request.presence_penalty": details.presencePenalty,
      "gen_ai.request.seed": details.seed,
      "gen_ai.response.id": details.responseId,
      "gen_ai.response.model": details.responseModel,
      "gen_ai.response.finish_reasons": orNone(details.finishReasons),
      "gen_ai.response.time_to_first_chunk": facts.firstTokenMs === null ? null : facts.firstTokenMs / 1000,
      "gen_ai.usage.input_tokens": facts.inputTokens,
      "gen_ai.usage.output_tokens": facts.outputTokens,
      "gen_ai.usage.cache_read.input_tokens": facts.cacheReadTokens,
      "gen_ai.usage.cache_creation.input_tokens": facts.cacheWriteTokens,
      "gen_ai.usage.reasoning.output_tokens": details.reasoningTokens,
      "quarterdeck.cost_dollars": facts.costMicros === null ? null : facts.costMicros / 1_000_000,
      ...serverOf(details.origin),
      ...shared,
    }),
  };
}

export function operationSpan(facts: OperationFacts): SpanFacts {
  const { durationMs, errorCode } = facts;
  const shared = { kind: SpanKind.INTERNAL, durationMs, failed: errorCode !== undefined };
  if (facts.kind === "tool")
    return {
      ...shared,
      name: `execute_tool ${facts.tool}`,
      attributes: present({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": facts.tool,
        "gen_ai.tool.type": "function",
        "error.type": errorCode,
      }),
    };
  const { agent, model, conversationId, inputTokens, outputTokens, finishReason } = facts;
  return {
    ...shared,
    name: agent ? `invoke_agent ${agent.name}` : "invoke_agent",
    attributes: present({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": agent?.id,
      "gen_ai.agent.name": agent?.name,
      "gen_ai.request.model": model,
      "gen_ai.conversation.id": conversationId,
      "gen_ai.usage.input_tokens": inputTokens,
      "gen_ai.usage.output_tokens": outputTokens,
      "gen_ai.response.finish_reasons": finishReason === undefined ? undefined : [finishReason],
      "error.type": errorCode,
    }),
  };
}

export function requestSpan({ requestId, method, route, status, durationMs }: RequestFacts): SpanFacts {
  const failed = status >= 500;
  return {
    name: `${method} ${route}`,
    kind: SpanKind.SERVER,
    failed,
    durationMs,
    attributes: present({
      "http.request.method": method,
      "http.route": route,
      "http.response.status_code": status,
      "quarterdeck.request.id": requestId,
      "error.type": failed ? String(status) : null,
    }),
  };
}

export function runSpan(facts: RunFacts): SpanFacts {
  const { runId, workflowId, workflowName, trigger, state, durationMs } = facts;
  const failed = state === "failed";
  return {
    name: `invoke_workflow ${workflowName}`,
    kind: SpanKind.INTERNAL,
    failed,
    durationMs,
    attributes: present({
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": workflowName,
      "quarterdeck.workflow.id": workflowId,
      "quarterdeck.run.id": runId,
      "quarterdeck.run.trigger": trigger,
      "quarterdeck.run.state": state,
      "error.type": failed ? "_OTHER" : null,
    }),
  };
}

export function stepSpan({ runId, key, type, state, attempts, durationMs }: StepFacts): SpanFacts {
  const failed = state === "failed";
  return {
    name: `step ${type}`,
    kind: SpanKind.INTERNAL,
    failed,
    durationMs,
    attributes: present({
      "quarterdeck.run.id": runId,
      "quarterdeck.step.key": key,
      "quarterdeck.step.type": type,
      "quarterdeck.step.attempts": attempts,
      "error.type": failed ? "_OTHER" : null,
    }),
  };
}
