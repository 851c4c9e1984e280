import { z } from "zod";
import type { JobTypeOf } from "~/platform/jobs/job-kind.service.server";

type NoInput = Record<string, never>;

export const createType: JobTypeOf<NoInput> = {
  kind: "backups.create",
  input: z.object({}),
  lane: "maintenance",
};
/** Queued only by its schedule. */
export const scheduledType: JobTypeOf<NoInput> = {
  kind: "backups.schedule",
  input: z.object({}),
  lane: "maintenance",
};
export const compactType: JobTypeOf<NoInput> = {
  kind: "backups.compact",
  input: z.object({}),
  lane: "maintenance",
};
export const checkType: JobTypeOf<NoInput> = {
  kind: "backups.check",
  input: z.object({}),
  lane: "maintenance",
};
/** Restores were jobs; backups made by them have one that must not run again. */
export const FORMER_RESTORE = { kind: "backups.restore" } as const;
