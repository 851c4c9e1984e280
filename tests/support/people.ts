import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { watchAuditHead } from "~/console/audit/background.service.server";
import { ROLES, type Role } from "~/core/actor";
import { closeDatabase, openConnection, rawDatabase, setDatabase, transaction } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { sessionSecret } from "~/core/secrets.server";
import { hashPassword } from "~/team/members/password.server";
import { startSession } from "~/team/members/session.service.server";
import { migrate } from "~db/migrate";
import { organisations, orgSettings, users } from "~db/schema";
import { TEMPLATE } from "./database";

interface Person {
  email: string;
  password: string;
  userId: string;
}

/** Shared by all test users. */
const PASSWORD = "correct horse battery";

export const people = Object.fromEntries(
  ROLES.map((role) => [
    role,
    { email: `${role}@example.org`, password: PASSWORD, userId: `usr_${role}` } satisfies Person,
  ]),
) as Record<Role, Person>;

let passwordHash: Promise<string> | undefined;

/** Adds a person per role to an unused data folder. @returns session secrets */
export async function addPeople(dataDir: string, auditKey?: string): Promise<Record<Role, string>> {
  mkdirSync(dataDir, { recursive: true });
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: dataDir, AUDIT_KEY: auditKey });
  const file = join(dataDir, "quarterdeck.sqlite");
  // Made by vitest's global setup of this run; Playwright might find an older one.
  if (process.env.VITEST) copyFileSync(TEMPLATE, file);
  setDatabase(openConnection(file));
  try {
    await migrate(rawDatabase(), resolve("db/migrations"));
    // As on first start, where sessions have a secret. People without a trail look like a deleted one.
    sessionSecret();
    await (await watchAuditHead())();
    passwordHash ??= hashPassword(PASSWORD);
    const hash = await passwordHash;
    transaction((tx) => {
      const at = Date.now();
      tx.insert(organisations).values({ id: "org_test", name: "Test", createdAt: at }).run();
      // Tests exceed the rate limit.
      const value = { rateLimitEnabled: false };
      tx.insert(orgSettings)
        .values({ orgId: "org_test", key: "performance", value, version: 0, updatedAt: at })
        .run();
      for (const role of ROLES) {
        const { email, userId } = people[role];
        tx.insert(users)
          .values({
            id: userId,
            orgId: "org_test",
            email,
            firstName: role.charAt(0).toUpperCase() + role.slice(1),
            lastName: "Tester",
            role,
            status: "active",
            passwordHash: hash,
            createdAt: at,
            updatedAt: at,
          })
          .run();
      }
    });
    const sessions = ROLES.map((role) => [
      role,
      startSession(people[role].userId, { isTwoFactor: true }).secret,
    ]);
    return Object.fromEntries(sessions) as Record<Role, string>;
  } finally {
    closeDatabase();
    setEnv(undefined);
  }
}
