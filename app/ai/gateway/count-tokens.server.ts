import { z } from "zod";
import { guardCall } from "~/ai/guardrails/guardrails.service.server";
import {
  assertMayCall,
  canonicalId,
  newRouteRecord,
  type RouteTarget,
  routeCall,
} from "~/ai/models/models.service.server";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { type Answer, reply } from "~/platform/endpoint/endpoint.shared";
import { type CallBody, readCallBody } from "./call-body";
import { assertWithinRate, type GatewayCall, passedHeaders } from "./calls.server";
import { guardBody } from "./guarded-call";
import { estimateTokens, parseCountRequest } from "./protocols/anthropic-messages.request";
import { type CountTokensRequest, TokenCount } from "./protocols/anthropic-messages.schema";
import { toChecked } from "./protocols/protocol";
import { keepRefusal } from "./provider-reason";

const PROTOCOL = "anthropic-messages";

function readCount(text: string, provider: string): TokenCount {
  try {
    return TokenCount.parse(parseWellFormed(text));
  } catch (cause) {
    throw new AppError("provider_unavailable", `${provider} sent an invalid response.`, { cause });
  }
}

const NOTHING = { input: 0, output: 0 };

const Refused = z.object({ statusCode: z.literal([404, 405, 501]), responseBody: z.string() });

/** Servers in Anthropic's form often have no such address; Anthropic's own 404 names the model. */
function hasNoCount(error: unknown): boolean {
  const { data } = Refused.safeParse(error);
  return data !== undefined && !/model/i.test(data.responseBody);
}

/** @returns undefined if no provider of the model counts */
async function countUpstream(call: GatewayCall, body: CallBody): Promise<TokenCount | undefined> {
  const { actor, signal } = call;
  const { model } = body.envelope;
  const record = newRouteRecord();
  const id = canonicalId(model);
  // A fallback model counts differently, and may be at a provider that the call itself wouldn't reach.
  const accepts = ({ wire, requestedModel }: RouteTarget) =>
    wire[PROTOCOL] !== undefined && requestedModel === id;
  const routing = { actor, model, signal, accepts, isWhole: true, size: () => NOTHING };
  const tried = keepRefusal(PROTOCOL, async (target) => {
    const request = { body: body.forModel(target.modelId), headers: passedHeaders(PROTOCOL, call), signal };
    try {
      const response = await target.send(`${target.wire[PROTOCOL]}/count_tokens`, request, "non-streaming");
      return readCount(await response.text(), target.displayName);
    } catch (error) {
      if (hasNoCount(error)) return undefined;
      throw error;
    }
  });
  try {
    const { value, end } = await routeCall(routing, record, tried.attempt);
    end({ outcome: "ok", tokens: NOTHING });
    return value;
  } catch (error) {
    const isUnsupported = error instanceof AppError && error.code === "provider_rejected";
    if (isUnsupported && record.attempts.length === 0) return undefined;
    throw tried.explain(error);
  }
}

/**
 * Counts what a message would send. It costs nothing, so it is neither recorded nor counted to budgets.
 * @throws AppError
 */
export async function countMessageTokens(call: GatewayCall): Promise<Answer> {
  assertWithinRate(call.actor);
  const read = (bytes: Uint8Array) =>
    readCallBody(PROTOCOL, bytes, (given) => toChecked(parseCountRequest(given)));
  const raw = await call.raw();
  const { model } = read(raw).envelope;
  assertMayCall(call.actor, model);
  const guard = guardCall(call.actor, { model, signal: call.signal });
  const body = read(guard ? await guardBody(guard, raw) : raw);
  const count = await countUpstream(call, body);
  if (count) return reply(count);
  const input_tokens = estimateTokens(body.request as CountTokensRequest);
  return reply({ input_tokens }, { headers: { "x-gateway-count": "estimated" } });
}
