import type { Actor } from "~/core/actor";
import { now, setClock } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { DAY, HOUR } from "~/core/durations";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { recordToolCall, recordUsage } from "~/team/usage/usage.service.server";
import { conversations, messages, workflowRunSteps, workflowRuns } from "../../db/schema";
import { CONVERSATIONS, PEOPLE, PROVIDERS, TOOLS } from "./content";
import type { DemoOrganization } from "./organization";
import { around, pick, pickOne, seededRandom } from "./seeded-random";

export const DEMO_DAYS = 365;

/** Chats per working day at the end of the year; a quarter of that at its beginning. */
const CHATS = 70;
const GATEWAY_CALLS = 30;

type Random = () => number;

interface Day {
  tx: Db;
  demo: DemoOrganization;
  random: Random;
  busy: number;
  start: number;
}

const MODELS = PROVIDERS.flatMap((provider, index) =>
  provider.models.map((model) => ({ ...model, index, type: provider.type })),
);
const byWeight = MODELS.map((model) => [model, model.weight] as const);

interface Event {
  at: number;
  run: () => void;
}

function activePerson({ demo: made, random }: Day): Actor {
  return pick(
    random,
    made.people.map((actor, at) => [actor, PEOPLE[at]?.[3] ?? 0] as const),
  );
}

interface CallLinks {
  source?: "chat" | "gateway" | "workflow";
  tokenId?: string;
  personaId?: string | undefined;
  conversationId?: string;
  messageId?: string;
  workflowId?: string;
  runId?: string;
}

function addCall({ tx, demo: made, random }: Day, actor: Actor, links: CallLinks) {
  const model = pick(random, byWeight);
  const failed = random() < (model.type === "custom" ? 0.04 : 0.012);
  const inputTokens = around(random, links.source === "gateway" ? 2400 : 6200);
  const outputTokens = failed ? 0 : around(random, 640);
  const firstTokenMs = failed ? null : around(random, model.firstTokenMs);
  const costMicros =
    model.input === null ? null : Math.round(inputTokens * model.input + outputTokens * model.output);
  recordUsage(tx, actor, {
    ...links,
    providerId: made.providers[model.index] ?? null,
    providerType: model.type,
    model: model.id,
    inputTokens,
    outputTokens,
    costMicros,
    firstTokenMs,
    durationMs: (firstTokenMs ?? 900) + outputTokens * 11,
    outcome: failed ? "error" : "ok",
    errorCode: failed ? pickOne(random, ["rate_limited", "provider_timeout", "provider_error"]) : null,
  });
  return model.id;
}

function addChat(day: Day): void {
  const { tx, demo: made, random } = day;
  const actor = activePerson(day);
  const [title, question, answer] = pickOne(random, CONVERSATIONS);
  const at = now();
  const id = newId("con");
  const messageId = newId("msg");
  const personaId = random() < 0.45 ? pickOne(random, made.personas) : undefined;
  const model = addCall(day, actor, { personaId, conversationId: id, messageId });
  if (random() < 0.4)
    recordToolCall(tx, actor, {
      tool: pickOne(random, TOOLS),
      source: { kind: "chat", personaId, conversationId: id },
      durationMs: around(random, 240),
      outcome: random() < 0.03 ? "error" : "ok",
      errorCode: null,
    });
  // Most old chats are deleted: usage remains, and lists stay short.
  if (random() > 0.08) return;
  tx.insert(conversations)
    .values({
      id,
      orgId: actor.orgId,
      userId: actor.userId,
      title,
      model,
      settings: {},
      activeMessageId: messageId,
      createdAt: at,
      updatedAt: at,
    })
    .run();
  const questionId = newId("msg");
  const message = { conversationId: id, status: "complete", createdAt: at, finishedAt: at + 4000 } as const;
  tx.insert(messages)
    .values([
      {
        ...message,
        id: questionId,
        position: 0,
        role: "user",
        parts: [{ type: "text", id: "t1", text: question }],
      },
      {
        ...message,
        id: messageId,
        parentId: questionId,
        position: 1,
        role: "assistant",
        model,
        parts: [{ type: "text", id: "t1", text: answer }],
      },
    ])
    .run();
}

function addGatewayCall(day: Day): void {
  const tokenId = pickOne(day.random, day.demo.tokens);
  const [, admin] = day.demo.people;
  if (admin) addCall(day, { ...admin, tokenId }, { source: "gateway", tokenId });
}

const FAILURES = [
  "The provider didn't answer within 60 seconds.",
  "The provider refused the request: the prompt is too long.",
  "The provider's quota is used up.",
];

function addRun(day: Day): void {
  const { tx, random } = day;
  const workflow = pickOne(random, day.demo.workflows);
  const actor = activePerson(day);
  const at = now();
  const id = newId("run");
  const error = random() < 0.05 ? pickOne(random, FAILURES) : null;
  const finishedAt = at + around(random, 9000);
  tx.insert(workflowRuns)
    .values({
      id,
      orgId: actor.orgId,
      workflowId: workflow.id,
      version: 1,
      state: error ? "failed" : "succeeded",
      triggerId: workflow.triggerId,
      triggerType: "manual",
      payload: {},
      startedBy: actor.userId,
      error,
      createdAt: at,
      startedAt: at + 40,
      finishedAt,
    })
    .run();
  tx.insert(workflowRunSteps)
    .values({
      runId: id,
      key: workflow.stepId,
      stepId: workflow.stepId,
      type: "ai_completion",
      position: 0,
      state: error ? "failed" : "succeeded",
      attempts: 1,
      error,
      startedAt: at + 60,
      finishedAt,
    })
    .run();
  addCall(day, actor, { source: "workflow", workflowId: workflow.id, runId: id });
  append(tx, actor, {
    action: "workflow.executed",
    resource: `workflow:${workflow.id}`,
    details: { workflowName: workflow.name, steps: 1, run: id },
  });
}

/** Sign-ins, and occasional changes of settings or providers. */
function addChanges(day: Day): void {
  const { tx, demo: made, random } = day;
  const actor = activePerson(day);
  const address = `198.51.100.${10 + made.people.indexOf(actor)}`;
  append(tx, { ...actor, address }, { action: "user.login", resource: `user:${actor.userId}`, details: {} });
  if (random() > 0.08) return;
  const [, admin] = made.people;
  const index = Math.floor(random() * PROVIDERS.length);
  if (!admin) return;
  const timeout = 30 + Math.floor(random() * 6) * 10;
  append(
    tx,
    { ...admin, address: "198.51.100.11" },
    {
      action: "provider.updated",
      resource: `provider:${made.providers[index]}`,
      details: { provider: PROVIDERS[index]?.type ?? "openai", displayName: PROVIDERS[index]?.name ?? "" },
      before: { timeout: 30 },
      after: { timeout },
    },
  );
}

function eventsOf(day: Day, end: number): Event[] {
  const { busy, random, start } = day;
  const time = () => start + 7 * HOUR + ((random() + random()) / 2) * 12 * HOUR;
  const always = () => start + random() * DAY;
  const several = (count: number, run: (day: Day) => void, at = time): Event[] =>
    Array.from({ length: Math.round(count * busy) }, () => ({ at: at(), run: () => run(day) }));
  return [
    ...several(CHATS, addChat),
    ...several(GATEWAY_CALLS, addGatewayCall, always),
    ...several(9, addRun),
    ...several(16, addChanges),
  ]
    .filter(({ at }) => at < end)
    .sort((a, b) => a.at - b.at);
}

/** Generates a year of chats, gateway calls, runs and changes. A day is one commit. */
export function addYear(demo: DemoOrganization, end: number): void {
  const random = seededRandom(14);
  const first = Math.floor(end / DAY) * DAY - (DEMO_DAYS - 1) * DAY;
  for (let index = 0; index < DEMO_DAYS; index++) {
    const start = first + index * DAY;
    const isWeekend = [0, 6].includes(new Date(start).getUTCDay());
    const growth = 0.25 + (0.75 * index) / DEMO_DAYS;
    const busy = growth * (isWeekend ? 0.12 : 0.8 + random() * 0.4);
    transaction((tx) => {
      for (const { at, run } of eventsOf({ tx, demo, random, busy, start }, end)) {
        setClock(() => Math.round(at));
        run();
      }
    });
  }
  setClock();
}
