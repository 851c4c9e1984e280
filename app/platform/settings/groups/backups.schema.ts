import { choice, number } from "~/core/field.schema";
import { defineGroup } from "./group.schema";

export const backups = defineGroup({
  id: "backups",
  label: "Backups",
  permission: "backup.manage",
  fields: {
    schedule: choice(["off", "daily", "weekly"], "daily", {
      label: "Schedule",
      hint: "Choose how often to back up, at 03:00 in the organization's time zone",
      appliedBy: "backups",
    }),
    keep: number(7, {
      label: "Scheduled backups to keep",
      hint: "Set how many are kept; older ones are deleted",
      min: 1,
      max: 90,
      unit: "backups",
      appliedBy: "backups",
    }),
  },
});
