import { and, eq, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { users } from "~db/schema";

const find = prepared((db) =>
  db
    .select({ role: users.role, status: users.status })
    .from(users)
    .where(and(eq(users.orgId, sql.placeholder("orgId")), eq(users.id, sql.placeholder("id"))))
    .prepare(),
);

export function findRole(tx: Db, orgId: string, id: string) {
  return find(tx).get({ orgId, id });
}
