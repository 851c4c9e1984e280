import { isDeepStrictEqual } from "node:util";
import { AppError } from "./errors";

/** Ensures that each change has its own time (ms), which tells versions apart. */
export const laterThan = (previous: number, at: number): number => Math.max(at, previous + 1);

/** Identifies the saved version: by its time, or by a hash of the edited fields. */
type Version = { updatedAt: string } | { version: string };

interface Edit {
  noun: string;
  labels: Readonly<Record<string, string>>;
  saved: Readonly<Record<string, unknown>> & Version;
  entered: Readonly<Record<string, unknown>>;
  /** Whether equal values are no conflict, since `updatedAt` also changes with other fields. */
  ignoresOtherFields?: boolean;
}

const isCurrent = (read: string, saved: Version): boolean =>
  "version" in saved ? read === saved.version : Date.parse(read) === Date.parse(saved.updatedAt);

/**
 * @param read `updatedAt` or `version` that was edited; without one the last save wins
 * @throws AppError `conflict` that names the fields in which both versions differ
 */
export function assertUnchangedSince(read: string | undefined, edit: Edit): void {
  const { noun, labels, saved, entered, ignoresOtherFields = false } = edit;
  if (read === undefined || isCurrent(read, saved)) return;
  const differing = Object.entries(labels).flatMap(([name, label]) =>
    entered[name] === undefined || isDeepStrictEqual(entered[name], saved[name]) ? [] : [label],
  );
  if (ignoresOtherFields && differing.length === 0) return;
  const differences = differing.length > 0 ? ` What you entered differs in: ${differing.join(", ")}.` : "";
  const message = `The ${noun} changed since you opened it.${differences}`;
  throw new AppError(
    "conflict",
    `${message} Save again to replace the saved version, or leave without saving to keep it.`,
    { fields: { ["version" in saved ? "version" : "updatedAt"]: [message] } },
  );
}
