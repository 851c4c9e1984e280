import { feature as audit } from "./audit/feature.schema";
import { feature as backups } from "./backups/feature.schema";
import { feature as budgets } from "./budgets/feature.schema";
import { feature as chat } from "./chat/feature.schema";
import { feature as comparisons } from "./comparisons/feature.schema";
import { feature as errors } from "./errors/feature.schema";
import type { DetailsNamedIn, FeatureFacts } from "./facts.shared";
import { feature as gateway } from "./gateway/feature.schema";
import { feature as jobs } from "./jobs/feature.schema";
import { feature as keys } from "./keys/feature.schema";
import { feature as knowledge } from "./knowledge/feature.schema";
import { feature as kv } from "./kv/feature.schema";
import { feature as members } from "./members/feature.schema";
import { feature as models } from "./models/feature.schema";
import { feature as monitoring } from "./monitoring/feature.schema";
import { feature as notifications } from "./notifications/feature.schema";
import { feature as personas } from "./personas/feature.schema";
import { feature as plugins } from "./plugins/feature.schema";
import { feature as prompts } from "./prompts/feature.schema";
import { feature as settings } from "./settings/feature.schema";
import { feature as shell } from "./shell/feature.schema";
import { feature as tools } from "./tools/feature.schema";
import { feature as usage } from "./usage/feature.schema";
import { feature as workflows } from "./workflows/feature.schema";

const features = [
  shell,
  workflows,
  chat,
  knowledge,
  personas,
  prompts,
  models,
  comparisons,
  gateway,
  plugins,
  members,
  keys,
  kv,
  tools,
  jobs,
  usage,
  audit,
  errors,
  budgets,
  notifications,
  settings,
  backups,
  monitoring,
] as const satisfies readonly FeatureFacts[];

type Feature = (typeof features)[number];
type Merged<Part extends keyof FeatureFacts> = UnionToIntersection<
  Feature extends infer F ? (F extends Record<Part, infer Entries> ? Entries : never) : never
>;
type UnionToIntersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void
  ? I
  : never;

export type Permission = keyof Merged<"permissions"> & string;
export type AuditAction = keyof Merged<"audit"> & string;
export type Topic = keyof Merged<"topics"> & string;
/** The details that an action's sentence names. */
export type AuditDetails<A extends AuditAction> = A extends AuditAction
  ? DetailsNamedIn<Merged<"audit">[A] & string>
  : never;

function merge<Part extends "permissions" | "audit" | "topics">(part: Part) {
  return Object.assign({}, ...features.map((feature: FeatureFacts) => feature[part])) as Merged<Part>;
}

type PermissionFacts = NonNullable<FeatureFacts["permissions"]>[string];

/** The authorization table: lowest role by permission. */
export const permissions: Readonly<Record<Permission, PermissionFacts>> = merge("permissions");

export const auditSentences: Readonly<Record<AuditAction, string>> = merge("audit");

/** The permission that each topic of the live stream requires. */
export const topics: Readonly<Record<Topic, Permission>> = merge("topics");
