import { z } from "zod";
import type { JobTypeOf } from "~/features/jobs/job-kind.service.server";
import { BackupName } from "./backups.schema";

type Nothing = Record<string, never>;

export const createType: JobTypeOf<Nothing> = {
  kind: "backups.create",
  input: z.object({}),
  lane: "maintenance",
};
/** Queued only by its schedule. */
export const scheduledType: JobTypeOf<Nothing> = {
  kind: "backups.schedule",
  input: z.object({}),
  lane: "maintenance",
};
export const compactType: JobTypeOf<Nothing> = {
  kind: "backups.compact",
  input: z.object({}),
  lane: "maintenance",
};
export const restoreType: JobTypeOf<{ name: string }> = {
  kind: "backups.restore",
  input: z.object({ name: BackupName }),
  lane: "maintenance",
};
