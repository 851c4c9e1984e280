import { isDeepStrictEqual } from "node:util";
import { AppError } from "./errors";

/** Ensures that each change has its own time (ms), which tells versions apart. */
export const laterThan = (previous: number, at: number): number => Math.max(at, previous + 1);

interface Edit {
  noun: string;
  /** By field name. */
  labels: Readonly<Record<string, string>>;
  saved: Readonly<Record<string, unknown>> & { updatedAt: string };
  entered: Readonly<Record<string, unknown>>;
  /** Whether equal values are no conflict, since `updatedAt` also changes with other fields. */
  ignoresOtherFields?: boolean;
}

/**
 * @param read `updatedAt` of the version that was edited; without one the last save wins
 * @throws AppError `conflict` that names the fields in which both versions differ
 */
export function assertUnchangedSince(read: string | undefined, edit: Edit): void {
  const { noun, labels, saved, entered, ignoresOtherFields = false } = edit;
  if (read === undefined || Date.parse(read) === Date.parse(saved.updatedAt)) return;
  const differing = Object.entries(labels).flatMap(([name, label]) =>
    entered[name] === undefined || isDeepStrictEqual(entered[name], saved[name]) ? [] : [label],
  );
  if (ignoresOtherFields && differing.length === 0) return;
  const differences = differing.length > 0 ? ` What you entered differs in: ${differing.join(", ")}.` : "";
  const message = `The ${noun} changed since you opened it.${differences}`;
  throw new AppError(
    "conflict",
    `${message} Save again to replace the saved version, or cancel to keep it.`,
    { fields: { updatedAt: [message] } },
  );
}
