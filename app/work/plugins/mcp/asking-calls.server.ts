import { AsyncLocalStorage } from "node:async_hooks";
import type { Client } from "@modelcontextprotocol/client";
import { onAbort } from "~/core/abort";
import type { ElicitResult } from "./elicitation";

// A question of the protocol doesn't say which call asks. Over HTTP it comes in the call's own response, which is read
// where the call was sent. Over the pipe of a command it is known by the calls that run: one alone, or as many as there
// are questions. Those of one person may be taken for each other, as it is asked and answered by the same.

/** Asks the person of a call. @throws AppError for what can't be asked */
export type AskFor = (params: unknown, withdrawn?: AbortSignal) => Promise<ElicitResult>;

interface Caller {
  /** Undefined where nobody can be asked. */
  person: string | undefined;
  ask: AskFor | undefined;
}

interface Call extends Caller {
  isOver: boolean;
  /** How many of its questions are open. */
  open: number;
}

interface PipeQuestion {
  /** To the call that asks, or to none. */
  assign(call: Call | undefined): void;
}

interface Calls {
  running: Set<Call>;
  /** Questions over the pipe whose call isn't known yet. */
  waiting: Set<PipeQuestion>;
}

/** How long a question waits for other calls to end, in ms: of the same person, and of others, half of a call's time. */
const WAIT = { own: 2000, others: 30_000 };

/** The call in whose response the server's messages come. */
const current = new AsyncLocalStorage<Call>();
const byConnection = new WeakMap<Client, Calls>();

function callsOf(client: Client): Calls {
  const calls = byConnection.get(client) ?? { running: new Set(), waiting: new Set() };
  byConnection.set(client, calls);
  return calls;
}

export const runningCalls = (client: Client): number => callsOf(client).running.size;

/** The calls that a question can be of, those without an open one first; none while several people have calls. */
function candidates({ running }: Calls): Call[] {
  if (new Set([...running].map(({ person }) => person)).size !== 1) return [];
  const free = [...running].filter(({ open }) => open === 0);
  return free.length > 0 ? free : [...running];
}

/** Assigns the waiting questions, once there is one for each call that it could be of. */
function assignWaiting(calls: Calls): void {
  const canAsk = [...calls.running].some(({ ask }) => ask);
  if (!canAsk) for (const question of [...calls.waiting]) question.assign(undefined);
  const possible = candidates(calls);
  if (possible.length === 0 || calls.waiting.size < possible.length) return;
  for (const [at, question] of [...calls.waiting].entries()) question.assign(possible[at % possible.length]);
}

function callOfPipe(calls: Calls, withdrawn: AbortSignal): Promise<Call | undefined> {
  return new Promise((resolve) => {
    const stops: (() => void)[] = [];
    const assign = (call: Call | undefined) => {
      if (!calls.waiting.delete(question)) return;
      for (const stop of stops) stop();
      if (call) call.open += 1;
      resolve(call);
    };
    const question: PipeQuestion = { assign };
    calls.waiting.add(question);
    const own = setTimeout(() => {
      const [call] = candidates(calls);
      if (call) assign(call);
    }, WAIT.own);
    const others = setTimeout(() => assign(candidates(calls)[0]), WAIT.others);
    stops.push(
      () => clearTimeout(own),
      () => clearTimeout(others),
    );
    stops.push(onAbort(withdrawn, () => assign(undefined)));
    assignWaiting(calls);
  });
}

async function askOverPipe(
  calls: Calls,
  params: unknown,
  withdrawn: AbortSignal,
): Promise<ElicitResult | undefined> {
  const call = await callOfPipe(calls, withdrawn);
  if (!call?.ask || call.isOver) return undefined;
  try {
    const answer = await call.ask(params, withdrawn);
    // It ended without this question, so another one asks.
    const isOfAnother = call.isOver && answer.action === "cancel" && !withdrawn.aborted;
    return isOfAnother && calls.running.size > 0 ? askOverPipe(calls, params, withdrawn) : answer;
  } finally {
    call.open -= 1;
    assignWaiting(calls);
  }
}

/** @returns undefined where nobody can be asked, or it isn't known who */
export async function askPersonOf(
  client: Client,
  params: unknown,
  withdrawn: AbortSignal,
): Promise<ElicitResult | undefined> {
  const sent = current.getStore();
  if (!sent) return askOverPipe(callsOf(client), params, withdrawn);
  return sent.isOver ? undefined : sent.ask?.(params, withdrawn);
}

/** Does a call whose questions go to its caller; without a person they are refused by name. */
export async function callAsking<T>(client: Client, caller: Caller, work: () => Promise<T>): Promise<T> {
  const call = { ...caller, isOver: false, open: 0 };
  const calls = callsOf(client);
  calls.running.add(call);
  try {
    return await current.run(call, work);
  } finally {
    call.isOver = true;
    calls.running.delete(call);
    assignWaiting(calls);
  }
}
