import { z } from "zod";
import { organisation } from "~/platform/settings/groups/organisation.schema";

const version = z.int("Enter the version you read").min(0);

export const Organisation = z.object({
  teamTitle: z.string().describe("Shown at the top of every screen"),
  timeZone: z.string().describe("IANA name of the zone by which days begin"),
  version: version.describe("Number of saves"),
});
export type Organisation = z.infer<typeof Organisation>;

export const OrganisationInput = organisation.patch.extend({
  version: version.optional().describe("The version that was read; 409 if the organization was saved since"),
});
export type OrganisationInput = z.infer<typeof OrganisationInput>;

const { teamTitle, timeZone } = organisation.fields;

export const OrganisationForm = z.object({
  teamTitle: z.preprocess((value) => value ?? null, teamTitle.schema),
  timeZone: z.preprocess((value) => value ?? null, timeZone.schema),
  version: z.coerce.number().pipe(version),
});
