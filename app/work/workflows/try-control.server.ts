import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { clip } from "~/core/well-formed";
import type { Json, StepType } from "./steps/step-type";
import { findWorkflowRow } from "./workflows.repo.server";

type Log = (message: string) => void;
type Show = (actor: Actor, config: never, log: Log) => Json;

/** Items named in the log. */
const MAX_LOGGED_ITEMS = 20;
const MAX_CHARACTERS = 200;

function showDelay(_actor: Actor, { seconds }: { seconds: number }, log: Log): Json {
  const until = new Date(now() + seconds * 1000).toISOString();
  log(`Waits until ${until} in a run`);
  return { seconds, until };
}

function showApproval(
  _actor: Actor,
  { question, details, sendTo, timeoutHours }: Record<string, unknown> & { sendTo: string[] },
  log: Log,
): Json {
  log(`Asks: ${String(question)}`);
  for (const recipient of sendTo) log(`Emails a link to ${recipient} in a run. Nothing was sent.`);
  return {
    question: String(question),
    details: String(details),
    sendTo,
    timeoutHours: (timeoutHours as number | undefined) ?? null,
  };
}

function showEach(_actor: Actor, { items }: { items: Json[] }, log: Log): Json {
  for (const [index, item] of items.slice(0, MAX_LOGGED_ITEMS).entries())
    log(`Item ${index}: ${clip(JSON.stringify(item), MAX_CHARACTERS)}`);
  if (items.length > MAX_LOGGED_ITEMS) log(`${items.length - MAX_LOGGED_ITEMS} more items`);
  return { items, count: items.length };
}

function showCall(
  actor: Actor,
  { workflow: id, payload }: { workflow: string; payload: Json },
  log: Log,
): Json {
  const row = findWorkflowRow(db(), actor.orgId, id);
  if (!row) throw new AppError("not_found", "Workflow not found. It may have been deleted.");
  if (!row.enabled)
    throw new AppError("conflict", `The workflow "${row.name}" is disabled. Enable it first.`);
  log(`Runs "${row.name}" with this payload in a run. Nothing was run.`);
  return { workflow: row.name, payload };
}

const SHOWN: Record<NonNullable<StepType["control"]>, Show> = {
  delay: showDelay,
  approval: showApproval,
  each: showEach,
  call: showCall,
};

/** Describes a control step's effect without any. @throws AppError as a run would */
export const showControl = (
  kind: NonNullable<StepType["control"]>,
  actor: Actor,
  config: unknown,
  log: Log,
): Json => SHOWN[kind](actor, config as never, log);
