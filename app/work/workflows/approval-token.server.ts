import { z } from "zod";
import { now } from "~/core/clock.server";
import { DAY, HOUR } from "~/core/durations";
import { sign, unsign } from "~/core/secrets.server";
import { parseWellFormed } from "~/core/well-formed";
import type { RunStepRow } from "./runs.repo.server";

/** Default lifetime, in ms. */
const LIFE = 7 * DAY;

const ApprovalToken = z.object({
  purpose: z.literal("approval"),
  runId: z.string(),
  key: z.string(),
  /** In ms: a retry asks again and invalidates older links. */
  startedAt: z.number(),
  recipient: z.string(),
  expiresAt: z.number(),
});
type ApprovalToken = z.infer<typeof ApprovalToken>;

/**
 * Path of a page that approves or refuses a step once, without an account.
 *
 * @param recipient named in the audit trail and in the step's output
 */
export function approvalPath(
  { runId, key, startedAt, input }: Pick<RunStepRow, "runId" | "key" | "startedAt" | "input">,
  recipient: string,
): string {
  const { timeoutHours } = (input ?? {}) as { timeoutHours?: number };
  const expiresAt = timeoutHours ? startedAt + timeoutHours * HOUR : now() + LIFE;
  const token: ApprovalToken = { purpose: "approval", runId, key, startedAt, recipient, expiresAt };
  return `/approve/${sign(JSON.stringify(token))}`;
}

/** @returns undefined for an invalid signature */
export function readApprovalToken(text: string): ApprovalToken | undefined {
  const json = unsign(text);
  if (json === undefined) return undefined;
  const parsed = ApprovalToken.safeParse(parseWellFormed(json));
  return parsed.success ? parsed.data : undefined;
}
