import { z } from "zod";
import type { JobTypeOf } from "~/features/jobs/job-kind.service.server";
import { BackupName } from "./backups.schema";

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
export const restoreType: JobTypeOf<{ name: string }> = {
  kind: "backups.restore",
  input: z.object({ name: BackupName }),
  lane: "maintenance",
};
