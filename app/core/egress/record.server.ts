import { now } from "../clock.server";
import { AppError } from "../errors";
import { EgressRefusal } from "./errors.server";

/** A call to the outside as the owner reads it: without path, query, headers or body. */
export interface EgressCall {
  /** Ms since the epoch. */
  at: number;
  purpose: string;
  /** `CONNECT` for a socket. */
  method: string;
  host: string;
  port: number;
  verdict: "allowed" | "refused" | "failed";
  /** Of the answer. */
  status?: number;
  /** Why it was refused or failed. */
  reason?: string;
}

export type Recorder = (call: Omit<EgressCall, "at" | "reason"> & { error?: unknown }) => void;

/** Calls kept, in memory. */
const KEPT = 500;

function reasonOf(error: unknown): string {
  if (error instanceof EgressRefusal) return error.reason;
  return error instanceof AppError ? error.message : "the connection failed";
}

// Development evaluates modules again on each change.
const holder = globalThis as typeof globalThis & { quarterdeckEgress?: EgressCall[] };

/** Notes a call, the oldest of too many being forgotten. */
export const recordCall: Recorder = ({ error, ...call }) => {
  holder.quarterdeckEgress ??= [];
  const calls = holder.quarterdeckEgress;
  calls.push({ at: now(), ...call, ...(error === undefined ? {} : { reason: reasonOf(error) }) });
  if (calls.length > KEPT) calls.shift();
};

/** The last calls, newest first. */
export function recordedCalls(): EgressCall[] {
  return [...(holder.quarterdeckEgress ?? [])].reverse();
}
