import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { withReserve } from "~/core/disk-reserve.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob, Postponed } from "~/platform/jobs/job-kind.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { findOrgRecord, saveOrgRecord } from "~/platform/settings/settings.service.server";
import { getDocument, listNewestDocuments } from "~/work/documents/documents.service.server";
import { queueIngest } from "~/work/documents/ingestion/ingest.service.server";
import { deleteDocument } from "~/work/documents/removal/document-removal.service.server";
import {
  createPersona,
  deletePersona,
  listPersonas,
  readPersona,
} from "~/work/personas/personas.service.server";
import { runWorkflow } from "~/work/workflows/runs.service.server";
import {
  createWorkflow,
  deleteWorkflow,
  listWorkflowNames,
  readWorkflow,
} from "~/work/workflows/workflows.service.server";
import { SAMPLE_DOCUMENTS, SAMPLE_PERSONAS, SAMPLE_WORKFLOWS } from "./content";
import type { SampleOffer } from "./samples.schema";

/** What the sample team consists of, by id, in the order of its content. */
const SampleTeam = z.object({
  addedAt: z.number(),
  documents: z.array(z.string()),
  personas: z.array(z.string()),
  workflows: z.array(z.string()),
});
type SampleTeam = z.infer<typeof SampleTeam>;

const RECORD = "sample-team";

/** Declared here, where it is queued. */
export const runSamples = declareJob({
  kind: "samples.run",
  input: z.object({ addedAt: z.number() }),
  lane: "bulk",
});

const teamOf = (orgId: string): SampleTeam | undefined =>
  SampleTeam.safeParse(findOrgRecord(db(), orgId, RECORD)).data;

/** Ids of all that is marked as a sample. */
export function sampleIds({ orgId }: Pick<Actor, "orgId">): string[] {
  const team = teamOf(orgId);
  return team ? [...team.documents, ...team.personas, ...team.workflows] : [];
}

export const countSampleDocuments = ({ orgId }: Pick<Actor, "orgId">): number =>
  teamOf(orgId)?.documents.length ?? 0;

/** A sample that still exists. */
interface Sample {
  id: string;
  name: string;
  /** Whether a person changed it since. */
  isChanged: boolean;
  remove(): unknown;
}

/** Undefined for what was deleted meanwhile. */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  }
}

const compact = <T>(list: readonly (T | undefined)[]): T[] => list.filter((one) => one !== undefined);

function readDocuments(actor: Actor, ids: readonly string[]): Sample[] {
  return compact(
    ids.map((id, at) => {
      const document = unlessGone(() => getDocument(actor, id));
      if (!document) return undefined;
      const { name, version } = document;
      const isChanged = name !== SAMPLE_DOCUMENTS[at]?.title || (version?.number ?? 1) > 1;
      return { id, name, isChanged, remove: () => deleteDocument(actor, id) };
    }),
  );
}

function readPersonas(actor: Actor, ids: readonly string[]): Sample[] {
  return compact(
    ids.map((id) => {
      const persona = unlessGone(() => readPersona(actor, id));
      if (!persona) return undefined;
      const { name, createdAt, updatedAt } = persona;
      return { id, name, isChanged: updatedAt !== createdAt, remove: () => deletePersona(actor, id) };
    }),
  );
}

function readWorkflows(actor: Actor, ids: readonly string[]): Sample[] {
  return compact(
    ids.map((id, at) => {
      const workflow = unlessGone(() => readWorkflow(actor, id));
      if (!workflow) return undefined;
      const { name, description, version } = workflow;
      const own = SAMPLE_WORKFLOWS[at];
      const isChanged = version > 1 || name !== own?.name || description !== own.description;
      return { id, name, isChanged, remove: () => deleteWorkflow(actor, id) };
    }),
  );
}

/** Workflows first, since a persona that one uses can't be deleted. */
const readAll = (actor: Actor, team: SampleTeam): Sample[] => [
  ...readWorkflows(actor, team.workflows),
  ...readPersonas(actor, team.personas),
  ...readDocuments(actor, team.documents),
];

/** Whether there is nothing to see that a person or a sample team added. */
const isEmpty = (actor: Actor): boolean =>
  listNewestDocuments(actor, 1).length === 0 &&
  listPersonas(actor).length === 0 &&
  listWorkflowNames(actor).length === 0;

const areRead = (actor: Actor, team: SampleTeam): boolean =>
  compact(team.documents.map((id) => unlessGone(() => getDocument(actor, id)))).every(
    ({ status }) => status === "ready" || status === "failed",
  );

/** For those who may add or remove it: the sample team, or the offer to add one to an empty console. */
export function readSampleOffer(actor: Actor): SampleOffer | undefined {
  if (!may(actor, "settings.manage")) return undefined;
  const team = teamOf(actor.orgId);
  if (!team) return isEmpty(actor) ? { team: null } : undefined;
  const { documents, personas, workflows } = team;
  const changed = readAll(actor, team).flatMap(({ name, isChanged }) => (isChanged ? [name] : []));
  return { team: { documents, personas, workflows, changed, isReady: areRead(actor, team) } };
}

/**
 * Adds documents, personas and workflows, and runs these on the built-in model once the documents are ready.
 * @throws AppError `conflict` if there is a team already, or other data
 */
export function addSamples(actor: Actor): void {
  authorise(actor, "settings.manage");
  transaction((tx) => {
    if (SampleTeam.safeParse(findOrgRecord(tx, actor.orgId, RECORD)).success)
      throw new AppError("conflict", "The sample team is there already.");
    if (!isEmpty(actor))
      throw new AppError("conflict", "A sample team can only be added to an empty console.");
    const addedAt = now();
    const documents = SAMPLE_DOCUMENTS.map(
      ({ title, text }) =>
        queueIngest(actor, {
          title,
          text,
          format: "markdown",
          visibility: "organisation",
          readers: [],
          refresh: "off",
        }).id,
    );
    const personas = SAMPLE_PERSONAS.map(
      ({ name, systemPrompt, tools }) =>
        createPersona(actor, {
          name,
          systemPrompt,
          tools: [...tools],
          mode: "default",
          defaultModel: OFFLINE_MODEL,
          reasoningEffort: "default",
          approval: "default",
          visibility: "everyone",
          skills: [],
          assistants: [],
          assistantSteps: 3,
          assistantBudget: 0.1,
          groups: [],
        }).id,
    );
    const workflows = SAMPLE_WORKFLOWS.map(({ runs: _, ...workflow }) => createWorkflow(actor, workflow).id);
    saveOrgRecord(tx, actor.orgId, RECORD, { addedAt, documents, personas, workflows });
    append(tx, actor, { action: "samples.added", resource: "samples:team", details: {} });
    enqueue(tx, runSamples, { addedAt }, { actor, dedupeKey: actor.orgId });
  });
}

/** Delay before the documents are looked at again, in ms. */
const NOT_READY = 1000;
/** How long the runs wait for the documents, in ms. */
const MAX_WAIT = 5 * 60_000;

/**
 * Runs the sample workflows, each run once however often it is called.
 * @throws Postponed until the documents are ready
 */
export async function runSampleWorkflows(actor: Actor, addedAt: number): Promise<void> {
  const team = teamOf(actor.orgId);
  if (team?.addedAt !== addedAt) return;
  if (!areRead(actor, team) && now() - addedAt < MAX_WAIT) throw new Postponed(NOT_READY);
  for (const [at, { runs }] of SAMPLE_WORKFLOWS.entries()) {
    const id = team.workflows[at];
    // Who deleted or disabled one doesn't want its runs.
    if (!id || !unlessGone(() => readWorkflow(actor, id))?.enabled) continue;
    for (const [index, payload] of runs.entries())
      await runWorkflow(actor, id, payload, `sample-${addedAt}-${index}`);
  }
}

export interface RemovedSamples {
  removed: number;
  kept: string[];
}

/**
 * Removes the sample team and nothing else. What a person changed stays, as theirs, unless `withChanged`.
 * @throws AppError `not_found` without a team; `conflict` if something of one's own uses a sample
 */
export function removeSamples(actor: Actor, { withChanged }: { withChanged: boolean }): RemovedSamples {
  authorise(actor, "settings.manage");
  return withReserve(actor, () =>
    transaction((tx) => {
      const team = SampleTeam.safeParse(findOrgRecord(tx, actor.orgId, RECORD)).data;
      if (!team) throw new AppError("not_found", "There is no sample team. It may have been removed.");
      const all = readAll(actor, team);
      const kept = all.filter(({ isChanged }) => isChanged && !withChanged);
      const removed = all.filter((sample) => !kept.includes(sample));
      for (const { remove } of removed) remove();
      saveOrgRecord(tx, actor.orgId, RECORD, {});
      append(tx, actor, {
        action: "samples.removed",
        resource: "samples:team",
        details: { removed: removed.length, kept: kept.length },
      });
      return { removed: removed.length, kept: kept.map(({ name }) => name) };
    }),
  );
}
