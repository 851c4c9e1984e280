import { now } from "../clock.server";
import { AppError } from "../errors";
import { kept } from "../kept.server";
import { EgressRefusal } from "./errors.server";

/** An outgoing call as shown to the owner: without path, query, headers or body. */
export interface EgressCall {
  at: number;
  purpose: string;
  method: string;
  host: string;
  port: number;
  verdict: "allowed" | "refused" | "failed";
  status?: number;
  reason?: string;
}

export type Recorder = (call: Omit<EgressCall, "at" | "reason"> & { error?: unknown }) => void;

const MAX_RECORDED = 500;

function reasonOf(error: unknown): string {
  if (error instanceof EgressRefusal) return error.reason;
  return error instanceof AppError ? error.message : "the connection failed";
}

const recorded = () => kept("egress calls", (): EgressCall[] => []);

export const recordCall: Recorder = ({ error, ...call }) => {
  const calls = recorded();
  calls.push({ at: now(), ...call, ...(error === undefined ? {} : { reason: reasonOf(error) }) });
  if (calls.length > MAX_RECORDED) calls.shift();
};

export function recordedCalls(): EgressCall[] {
  return recorded().toReversed();
}
