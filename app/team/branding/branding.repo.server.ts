import { and, eq, notInArray } from "drizzle-orm";
import { type Db, preparedFind } from "~/core/db.server";
import { brandImages } from "~db/schema";

export const findBrandImage = preparedFind(brandImages, "orgId", "name");

export function insertBrandImage(tx: Db, row: typeof brandImages.$inferSelect): void {
  tx.insert(brandImages).values(row).onConflictDoNothing().run();
}

export function deleteOtherBrandImages(tx: Db, orgId: string, names: readonly string[]): void {
  tx.delete(brandImages)
    .where(and(eq(brandImages.orgId, orgId), notInArray(brandImages.name, [...names])))
    .run();
}
