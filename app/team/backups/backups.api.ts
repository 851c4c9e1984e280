import { z } from "zod";
import { accepted, endpoint, endpoints, file } from "~/platform/endpoint/endpoint.shared";
import { BackupId, BackupView, CompactInput } from "./backups.schema";
import {
  deleteBackup,
  listBackups,
  openBackup,
  startBackup,
  startCheck,
  startCompaction,
} from "./backups.service.server";
import { startRestore } from "./restore.service.server";
import { takeOver } from "./standby.service.server";

/** The outcome is elsewhere. */
const Queued = z.object({});

export const backupsApi = endpoints("System", [
  endpoint({
    method: "GET",
    path: "/api/system/backups/{id}",
    summary: "Download a backup",
    access: "backup.manage",
    params: BackupId,
    produces: "application/octet-stream",
    handle: async ({ actor, params }) => file(await openBackup(actor, params.id)),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/system/backups/{id}",
    summary: "Delete a backup",
    access: "backup.manage",
    params: BackupId,
    status: 204,
    handle: ({ actor, params }) => deleteBackup(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/system/backups/{id}/restore",
    summary: "Restore a backup",
    description:
      "Works in the background: verifies the backup, backs up the current state, or keeps its files if it is damaged, and " +
      "restarts the console with the backup's. Every session ends. The list of backups shows the result.",
    access: "backup.manage",
    params: BackupId,
    response: Queued,
    status: 202,
    handle: async ({ actor, params }) => {
      await startRestore(actor, params.id);
      return accepted({});
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/system/backups",
    summary: "List the backups in the data folder",
    description: "Newest first.",
    access: "backup.manage",
    response: z.array(BackupView),
    handle: ({ actor }) => listBackups(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/system/backups",
    summary: "Back up now",
    description:
      "Queues a background job of the kind `backups.create`; the backup is listed once the job has finished.",
    access: "backup.manage",
    response: Queued,
    status: 202,
    handle: ({ actor }) => {
      startBackup(actor);
      return accepted({});
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/system/take-over",
    summary: "Make a standby the console that works",
    description:
      "Only while the console was started with `STANDBY=1` and nobody has taken over. It needs a replica path of its own; " +
      "the console restarts, and its jobs, schedules and runs continue.",
    access: "backup.manage",
    response: Queued,
    status: 202,
    handle: async ({ actor }) => {
      await takeOver(actor);
      return accepted({});
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/system/check",
    summary: "Check the databases for damage",
    description:
      "Queues a background job that runs SQLite's integrity check on both databases. `/api/health` shows what it finds.",
    access: "settings.manage",
    response: Queued,
    status: 202,
    handle: ({ actor }) => {
      startCheck(actor);
      return accepted({});
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/system/compact",
    summary: "Compact the database",
    description:
      "Queues a background job; the console restarts while the database is rewritten without free space.",
    access: "backup.manage",
    body: CompactInput,
    response: Queued,
    status: 202,
    handle: ({ actor }) => {
      startCompaction(actor);
      return accepted({});
    },
  }),
]);
