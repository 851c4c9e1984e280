import type { Actor } from "~/core/actor";
import { release, reserve, settle } from "~/features/budgets/ledger.service.server";
import { currentPurpose } from "~/features/usage/purpose.service.server";
import { type PricedModel, priceFor } from "../pricing.service.server";

/** Tokens of a call as its provider counted them; unknown where it gave no figure. */
export interface CallTokens {
  input?: number | null | undefined;
  output?: number | null | undefined;
  cacheRead?: number | null | undefined;
  cacheWrite?: number | null | undefined;
}

/** How many tokens a call is likely to take. */
export interface CallSize {
  input: number;
  /** The most it may write, where that is known. */
  output: number;
}

/** What a call is made for, beside the actor. */
export interface CallPurpose {
  personaId?: string | null | undefined;
  workflowId?: string | null | undefined;
}

/** UTF-8 bytes of a token: about four Latin letters, or one Chinese or Japanese character. */
const TOKEN_BYTES = 4;
/** What a model may write where neither the call nor the catalogue says: the contract's default. */
export const USUAL_OUTPUT = 4096;

/** An estimate that is quick for long texts too. */
export const tokensInBytes = (bytes: number): number => Math.ceil(bytes / TOKEN_BYTES);

export const tokensIn = (...texts: string[]): number =>
  tokensInBytes(texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0));

/** A call's share in the budgets, from its beginning to its end. */
export interface Spending {
  /** Counts what the call took. `written` is an estimate of the output's tokens where the provider gives no figure. */
  settle(tokens: CallTokens, written?: number): void;
  /** The call wasn't answered: nothing is counted. */
  release(): void;
}

interface SpendingCall {
  actor: Pick<Actor, "orgId" | "userId" | "tokenId">;
  purpose?: CallPurpose | undefined;
  priced: PricedModel;
  size(): CallSize;
}

/**
 * Reserves a call's likely cost in the budgets that it counts against.
 *
 * @throws AppError `budget_exceeded`; `rate_limited` while running calls hold what is left
 */
export function startSpending({ actor, purpose, priced, size }: SpendingCall): Spending {
  const { orgId, userId, tokenId } = actor;
  const around = currentPurpose();
  const workflowId = purpose?.workflowId ?? around.workflowId;
  const personaId = purpose?.personaId ?? around.personaId;
  const spender = { orgId, userId, tokenId, personaId, workflowId };
  const costOf = (tokens: CallTokens & CallSize) => ({
    costMicros: priceFor(orgId, priced, tokens),
    tokens: tokens.input + tokens.output,
  });
  const reservation = reserve(spender, () => costOf(size()));
  return {
    settle(tokens, written) {
      settle(spender, reservation, () => {
        const { input, output } = tokens;
        if (typeof input === "number" && typeof output === "number")
          return costOf({ ...tokens, input, output });
        const likely = size();
        return costOf({
          ...tokens,
          input: input ?? likely.input,
          output: output ?? written ?? likely.output,
        });
      });
    },
    release: () => release(spender, reservation),
  };
}
