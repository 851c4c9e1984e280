import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { readInThread } from "~/core/read-pool.server";
import { authorise, may } from "~/features/members/authorisation.server";
import { namesOfMembers } from "~/features/members/member.service.server";
import { orgTimeZone } from "~/features/organisation/organisation.service.server";
import { addFigures, figuresOf, NO_SUMS, type UsageSums } from "./figures.schema";
import { DIMENSIONS, type UsageDimension } from "./usage-choices.schema";
import { HOUR, type ResolvedRange, resolveRange } from "./usage-range";
import {
  FIGURES,
  groupsQuery,
  pointsQuery,
  readGroupNames,
  type UsageScope,
} from "./usage-report.repo.server";
import type { UsageFilter, UsageQuery, UsageReport } from "./usage-report.schema";

/** Groups in a report. */
const MOST_GROUPS = 100;

/** Label of calls that belong to no group, and of groups that are gone. */
const WITHOUT: Record<UsageDimension, [none: string, gone: string]> = {
  model: ["No model", ""],
  provider: ["Built-in model", "Removed provider"],
  person: ["System", "Removed member"],
  persona: ["No persona", "Removed persona"],
  workflow: ["No workflow", "Removed workflow"],
  token: ["No API token", "Removed API token"],
  tool: ["No tool", ""],
};

/** Names the groups of a dimension. */
export function readLabels(actor: Actor, by: UsageDimension): (key: string) => string {
  const [none, gone] = WITHOUT[by];
  if (by === "model" || by === "tool") return (key) => key || none;
  if (by === "person") {
    const people = namesOfMembers(actor);
    return (key) => (key === "" || key === "system" ? none : (people[key] ?? gone));
  }
  const names = new Map(readGroupNames(db(), actor.orgId, by).map(({ id, name }) => [id, name]));
  return (key) => (key === "" ? none : (names.get(key) ?? gone));
}

/** As the API answers it. @throws as `readUsageReport` */
export async function readUsage(actor: Actor, query: UsageQuery): Promise<UsageReport> {
  const { parts, shown, ...report } = await readUsageReport(actor, query);
  return report;
}

/** Which calls a query is about. Below admin these are one's own. */
export function scopeOf(actor: Actor, query: UsageQuery): UsageScope & { range: ResolvedRange } {
  const all = may(actor, "usage.all");
  if (!all) authorise(actor, "usage.own");
  const filter = Object.fromEntries(DIMENSIONS.map((name) => [name, query[name]])) as UsageFilter;
  return {
    orgId: actor.orgId,
    userId: all ? undefined : actor.userId,
    range: resolveRange(query, now(), orgTimeZone(actor.orgId)),
    filter,
    tools: query.by === "tool" || query.tool !== undefined,
  };
}

const Figure = z
  .number()
  .nullable()
  .transform((value) => value ?? 0);
const Sums = z.tuple([Figure, Figure, Figure, Figure, Figure, Figure, Figure, Figure]);

/** Reads the figures of a row behind its keys. */
export function readSums(row: readonly unknown[], keys: number): UsageSums {
  const values = Sums.parse(row.slice(keys));
  return Object.fromEntries(FIGURES.map((name, at) => [name, values[at] ?? 0])) as UsageSums;
}

const Key = z.string().nullable();
const Bucket = z.union([z.string(), z.number()]);

/** A report with, for each bucket of the range, the sums of the largest groups and of the rest. */
export interface DetailedUsage extends UsageReport {
  /** Keys of the groups that the points have by themselves. */
  shown: string[];
  /** By the points' order: the sums of each shown group, then of the rest. */
  parts: UsageSums[][];
}

/**
 * The usage of a range by group and by day or hour, in a reading thread.
 *
 * @param shown how many of the largest groups the points have by themselves
 * @throws AppError `forbidden`; `unavailable` when it takes too long
 */
export async function readUsageReport(actor: Actor, query: UsageQuery, shown = 0): Promise<DetailedUsage> {
  const scope = scopeOf(actor, query);
  const { range } = scope;
  const [found = []] = await readInThread("screen", [
    groupsQuery(scope, query.by, query.metric, MOST_GROUPS),
  ]);
  const labelOf = readLabels(actor, query.by);
  const groups = found.map((row) => {
    const key = Key.parse(row[0]) ?? "";
    return { key, label: labelOf(key), ...figuresOf(readSums(row, 1)) };
  });
  const keys = groups.slice(0, shown).map(({ key }) => key);
  const [rows = []] = await readInThread("screen", [pointsQuery(scope, query.by, keys)]);
  const parts = new Map<string | number, UsageSums[]>();
  for (const bucket of range.buckets)
    parts.set(
      bucket,
      Array.from({ length: keys.length + 1 }, () => NO_SUMS),
    );
  for (const row of rows) {
    const key = Key.parse(row[1]);
    const at = key === null ? keys.length : keys.indexOf(key);
    const part = parts.get(Bucket.parse(row[0]));
    if (part) part[at] = readSums(row, 2);
  }
  const points = [...parts].map(([bucket, sums]) => ({
    at: typeof bucket === "number" ? new Date(bucket * HOUR).toISOString() : bucket,
    ...figuresOf(addFigures(sums)),
  }));
  return {
    scope: scope.userId === undefined ? "organization" : "own",
    unit: range.unit,
    from: range.from,
    to: range.to,
    totals: figuresOf(addFigures([...parts.values()].flat())),
    groups,
    points,
    shown: keys,
    parts: [...parts.values()],
  };
}
