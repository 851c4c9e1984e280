import { z } from "zod";
import type { JobType } from "~/platform/jobs/job-kind.service.server";
import type { JobInput } from "./job";
import type { JobRow } from "./jobs.repo.server";

const NoInput = z.object({});
type IngestionType = JobType<typeof NoInput>;

export const ingestType: IngestionType = { kind: "documents.ingest", input: NoInput, lane: "interactive" };
export const sitemapType: IngestionType = { kind: "documents.sitemap", input: NoInput, lane: "interactive" };
/** Name or readers changed: interactive, since a user expects the effect at once. */
export const updateType: IngestionType = { kind: "documents.update", input: NoInput, lane: "interactive" };
export const purgeType: IngestionType = { kind: "documents.purge", input: NoInput, lane: "maintenance" };

export const refreshDueType: IngestionType = {
  kind: "documents.refresh-due",
  input: NoInput,
  lane: "maintenance",
};
export const sweepType: IngestionType = { kind: "documents.sweep", input: NoInput, lane: "maintenance" };

export function jobTypeOf({
  kind,
  input,
}: {
  kind: JobRow["kind"];
  input: Partial<JobInput>;
}): IngestionType {
  if (kind === "sitemap") return sitemapType;
  if (kind === "purge") return input.moved || input.renamed ? updateType : purgeType;
  return ingestType;
}
