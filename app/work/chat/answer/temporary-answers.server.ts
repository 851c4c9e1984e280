import type { Actor } from "~/core/actor";
import { runNext } from "~/core/background.server";
import { groupedTransaction } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { ActiveGeneration, activeAnswers, type EventLog } from "./active-generation.server";
import { storeWithRetries } from "./answers.server";
import { priceOf, recordCall, recordSteps } from "./record-calls.server";
import { type AnswerPlan, runAnswer } from "./run-answer.server";

const NOT_KEPT: EventLog = { add: () => undefined, flushTogether: async () => true };

type OnCost = (micros: number | null, live: ActiveGeneration) => void;

async function write(live: ActiveGeneration, plan: AnswerPlan, onCost?: OnCost): Promise<void> {
  try {
    const steps = recordSteps(live, plan);
    const { calls } = await runAnswer(
      plan,
      live,
      (call) => priceOf(live, call),
      (call) => {
        steps.onStep(call);
        onCost?.(priceOf(live, call), live);
      },
    );
    const left = await steps.findUnrecorded(calls);
    await storeWithRetries(live.messageId, (written) =>
      groupedTransaction(
        (tx) => {
          for (const call of left) recordCall(tx, live, plan, call);
        },
        { inThread: true, written },
      ),
    );
  } catch (error) {
    log.error("the usage of a temporary answer could not be recorded", { error, messageId: live.messageId });
  } finally {
    activeAnswers().live.delete(live.messageId);
    live.finish();
  }
}

/**
 * Generates an answer of which nothing is stored but its usage. It begins in the next turn of the event loop, so that the
 * caller can listen before, and ends with its caller: nothing could be resumed.
 * @param onCost called with the cost of each finished model call while the answer goes on, null if unknown
 */
export function startTemporary(actor: Actor, plan: AnswerPlan, onCost?: OnCost): ActiveGeneration {
  const id = newId("msg");
  const live = new ActiveGeneration(id, id, actor, 0, NOT_KEPT);
  activeAnswers().live.set(id, live);
  runNext("a temporary answer", () => write(live, plan, onCost));
  return live;
}
