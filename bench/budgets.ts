import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reserve, settle } from "~/team/budgets/ledger.service.server";
import { closeDatabase, openConnection, rawDatabase, setDatabase, transaction } from "../app/core/db.server";
import { setEnv } from "../app/core/env.server";
import { addPeople } from "../tests/support/people";
import { quantile } from "./statistics";

// Overhead of budgets per model call: processor time of the main thread with none, unrelated, one and four
// matching budgets, and under load.

const SAMPLES = 5000;
const ORG = "org_test";
const spender = { orgId: ORG, userId: "usr_member", tokenId: "tok", personaId: "per", workflowId: "wfl" };
const cost = () => ({ costMicros: 10, tokens: 10 });
const estimate = () => ({ begun: cost(), whole: cost() });

const micros = (times: number[], share: number) =>
  `${(quantile(times, share) * 1000).toFixed(1).padStart(7)} µs`;

function measure(label: string, open = 0): void {
  const reservations = Array.from({ length: open }, () => reserve(spender, estimate));
  const begins: number[] = [];
  const ends: number[] = [];
  for (let n = 0; n < SAMPLES; n++) {
    const from = performance.now();
    const reservation = reserve(spender, estimate);
    const between = performance.now();
    settle(spender, reservation, cost);
    begins.push(between - from);
    ends.push(performance.now() - between);
  }
  for (const reservation of reservations) settle(spender, reservation, cost);
  for (const times of [begins, ends]) times.sort((a, b) => a - b);
  console.log(
    `${label.padEnd(34)} reserve p50 ${micros(begins, 0.5)} p95 ${micros(begins, 0.95)} · settle p50 ${micros(ends, 0.5)} p95 ${micros(ends, 0.95)}`,
  );
}

function addBudget(scope: "organisation" | "person" | "persona" | "workflow", scopeId: string): void {
  transaction(() =>
    rawDatabase()
      .prepare(
        "INSERT INTO budgets (id, org_id, scope, scope_id, unit, period, limit_amount, warn_at, unpriced, created_at, updated_at) VALUES (?, ?, ?, ?, 'money', 'month', 1e12, 80, 'allow', 1, 1)",
      )
      .run(`bud_${scope}_${scopeId}`, ORG, scope, scopeId),
  );
}

const folder = mkdtempSync(join(tmpdir(), "quarterdeck-budgets-"));
await addPeople(folder);
setEnv({ NODE_ENV: "production", LOG_LEVEL: "silent", DATA_DIR: folder });
setDatabase(openConnection(join(folder, "quarterdeck.sqlite")));
try {
  measure("no budget");
  for (let n = 0; n < 100; n++) addBudget("person", `usr_other_${n}`);
  measure("100 that don't count the call");
  addBudget("organisation", "");
  measure("1 that counts it");
  for (const [scope, id] of [
    ["person", "usr_member"],
    ["persona", "per"],
    ["workflow", "wfl"],
  ] as const)
    addBudget(scope, id);
  measure("4 that count it");
  measure("4 while 200 other calls run", 200);
  const remaining = rawDatabase().prepare("SELECT count(*) FROM budget_reservations").pluck().get();
  if (remaining !== 0) throw new Error(`${remaining} reservations are left`);
} finally {
  closeDatabase();
  rmSync(folder, { recursive: true, force: true });
}
