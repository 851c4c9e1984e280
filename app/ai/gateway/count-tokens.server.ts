import {
  assertMayCall,
  newRouteRecord,
  type RouteTarget,
  routeCall,
} from "~/ai/models/models.service.server";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { type Answer, reply } from "~/platform/endpoint/endpoint.shared";
import { type CallBody, readCallBody } from "./call-body";
import { assertWithinRate, type GatewayCall, passedHeaders } from "./calls.server";
import { estimateTokens, parseCountRequest } from "./protocols/anthropic-messages.request";
import { type CountTokensRequest, TokenCount } from "./protocols/anthropic-messages.schema";
import { toChecked } from "./protocols/protocol";

const PROTOCOL = "anthropic-messages";

function readCount(text: string, provider: string): TokenCount {
  try {
    return TokenCount.parse(parseWellFormed(text));
  } catch (cause) {
    throw new AppError("provider_unavailable", `${provider} sent an invalid response.`, { cause });
  }
}

async function countAt(target: RouteTarget, body: CallBody, call: GatewayCall) {
  const path = target.wire[PROTOCOL];
  if (!path) {
    const input_tokens = estimateTokens(body.request as CountTokensRequest);
    return { count: { input_tokens }, isEstimated: true };
  }
  const request = {
    body: body.forModel(target.modelId),
    headers: passedHeaders(PROTOCOL, call),
    signal: call.signal,
  };
  const response = await target.send(`${path}/count_tokens`, request, "non-streaming");
  return { count: readCount(await response.text(), target.displayName), isEstimated: false };
}

/**
 * Counts what a message would send. It costs nothing, so it is neither recorded nor counted to budgets.
 * @throws AppError
 */
export async function countMessageTokens(call: GatewayCall): Promise<Answer> {
  assertWithinRate(call.actor);
  const body = readCallBody(PROTOCOL, await call.raw(), (given) => toChecked(parseCountRequest(given)));
  const { model } = body.envelope;
  assertMayCall(call.actor, model);
  const { actor, signal } = call;
  const routing = { actor, model, signal, isWhole: true, size: () => ({ input: 0, output: 0 }) };
  const routed = await routeCall(routing, newRouteRecord(), (target) => countAt(target, body, call));
  routed.end({ outcome: "ok", tokens: { input: 0, output: 0 } });
  const { count, isEstimated } = routed.value;
  return reply(count, isEstimated ? { headers: { "x-gateway-count": "estimated" } } : {});
}
