import type { Actor } from "~/core/actor";
import { currentPurpose } from "~/core/purpose.server";
import { noteSpent, release, reserve, settle } from "~/team/budgets/ledger.service.server";
import { plausibleCount } from "~/team/usage/usage.service.server";
import { type CountedTokens, type PricedModel, priceFor } from "../pricing.service.server";

/** Undefined figures weren't reported. */
export type CallTokens = Partial<CountedTokens>;

export interface CallSize extends CountedTokens {
  input: number;
  /** The output limit, if known. */
  output: number;
}

export interface CallPurpose {
  personaId?: string | null | undefined;
  workflowId?: string | null | undefined;
  /** The call is a guardrail's own: what it judges isn't judged again, and its model needn't be the person's to call. */
  isJudgement?: boolean | undefined;
}

/** The contract's default output limit. */
export const DEFAULT_OUTPUT_TOKENS = 4096;

/** Output tokens after which a running call's cost is noted again. */
const NOTED_TOKENS = 16;

export interface Spending {
  /** Notes the output so far, in tokens. */
  receive(output: number): void;
  /** Books the usage. `estimatedOutput`: tokens, if the provider reported none. */
  settle(tokens: CallTokens, estimatedOutput?: number): void;
  release(): void;
}

interface SpendingCall {
  actor: Pick<Actor, "orgId" | "userId" | "tokenId">;
  purpose?: CallPurpose | undefined;
  priced: PricedModel;
  size(): CallSize;
  /** If the process dies, the call counts with its longest output. */
  isWhole?: boolean | undefined;
}

/**
 * Reserves the estimated cost.
 * @throws AppError `budget_exceeded`; `rate_limited` while running calls reserve the rest
 */
export function startSpending({ actor, purpose, priced, size, isWhole }: SpendingCall): Spending {
  const { orgId, userId, tokenId } = actor;
  const context = currentPurpose();
  const workflowId = purpose?.workflowId ?? context.workflowId;
  const personaId = purpose?.personaId ?? context.personaId;
  const spender = { orgId, userId: context.memberId ?? userId, tokenId, personaId, workflowId };
  const costOf = (tokens: CallTokens & CallSize) => ({
    costMicros: priceFor(orgId, priced, tokens),
    tokens: tokens.input + tokens.output,
  });
  const reservation = reserve(spender, () => {
    const whole = size();
    return { begun: costOf(isWhole ? whole : { ...whole, output: 0 }), whole: costOf(whole) };
  });
  let received = 0;
  return {
    receive(output) {
      if (!reservation || output < received + NOTED_TOKENS) return;
      received = output;
      noteSpent(reservation, () => costOf({ ...size(), output: received }));
    },
    settle(tokens, estimatedOutput) {
      settle(spender, reservation, () => {
        const [input, output] = [plausibleCount(tokens.input), plausibleCount(tokens.output)];
        if (input !== null && output !== null) return costOf({ ...tokens, input, output });
        const estimate = size();
        return costOf({
          ...tokens,
          input: input ?? estimate.input,
          output: output ?? estimatedOutput ?? estimate.output,
        });
      });
    },
    release: () => release(spender, reservation),
  };
}
