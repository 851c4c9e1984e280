import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { offerBuiltIn } from "~/ai/tools/tools.service.server";
import type { Actor, Role } from "~/core/actor";
import { closeDatabase, openConnection, setDatabase, transaction } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { tools } from "~/tool-list.server";
import { organisations, users } from "~db/schema";

/** Created by tests/setup/template.ts. */
export const TEMPLATE = resolve(".cache/template.sqlite");
export const ORG_ID = "org_test";

/** A folder in memory, where it is large enough: a commit then waits for no disk. */
function temporaryFolder(): string {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 2e9 ? memory : tmpdir();
}

/** Where data folders of tests are. */
export const FOLDERS = temporaryFolder();

/** A migrated database with one user per role. @returns folder, actors and `close()` */
export function openTestDatabase(environment: Record<string, string> = {}) {
  if (!existsSync(TEMPLATE))
    throw new Error("The template database is missing: vitest's global setup makes it.");
  const folder = mkdtempSync(join(FOLDERS, "quarterdeck-"));
  mkdirSync(folder, { recursive: true });
  copyFileSync(TEMPLATE, join(folder, "quarterdeck.sqlite"));
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder, ...environment });
  setDatabase(openConnection(join(folder, "quarterdeck.sqlite")));
  offerBuiltIn(tools);
  const at = Date.now();
  const actors = {} as Record<Role, Actor>;
  transaction((tx) => {
    tx.insert(organisations).values({ id: ORG_ID, name: "Test", createdAt: at }).run();
    for (const role of ["viewer", "member", "admin", "owner"] as const) {
      const userId = `usr_${role}`;
      tx.insert(users)
        .values({
          id: userId,
          orgId: ORG_ID,
          email: `${role}@example.org`,
          firstName: role,
          role,
          status: "active",
          createdAt: at,
          updatedAt: at,
        })
        .run();
      actors[role] = { kind: "user", userId, orgId: ORG_ID, role };
    }
  });
  return {
    folder,
    actors,
    close() {
      closeDatabase();
      setEnv(undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
