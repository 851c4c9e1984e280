import { z } from "zod";
import type { Field } from "~/core/field.schema";
import { isTimeZone } from "~/core/time-zone";
import { defineGroup } from "./group.schema";

const TITLE_MAX = 60;

const teamTitle: Field<string | null> = {
  label: "Team title",
  hint: "Set the title at the top of every screen; null for the organization's name",
  appliedBy: "organization",
  schema: z
    .string("Enter a title")
    .trim()
    .min(1, "Enter a title")
    .max(TITLE_MAX, `Use at most ${TITLE_MAX} characters`)
    .nullable(),
  fallback: null,
  control: { kind: "text", maxLength: TITLE_MAX },
};

const timeZone: Field<string | null> = {
  label: "Time zone",
  hint: "Set the time zone of daily figures, dated titles and schedules; null for the server's",
  appliedBy: "organization",
  schema: z
    .string("Choose a time zone")
    .trim()
    .max(64, "Choose a time zone such as Europe/Berlin")
    .refine(isTimeZone, "Choose a time zone such as Europe/Berlin")
    .nullable(),
  fallback: null,
  control: { kind: "text", maxLength: 64 },
};

export const organisation = defineGroup({
  id: "organisation",
  label: "Organization",
  permission: "settings.manage",
  fields: { teamTitle, timeZone },
});
