import { and, eq, notInArray } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { brandImages, organisations } from "~db/schema";

export function findOrganisationId(tx: Db): string | undefined {
  return tx.select({ id: organisations.id }).from(organisations).limit(1).get()?.id;
}

type BrandImageRow = typeof brandImages.$inferSelect;

export function findBrandImage(
  tx: Db,
  orgId: string,
  name: string,
): Pick<BrandImageRow, "mediaType" | "bytes"> | undefined {
  return tx
    .select({ mediaType: brandImages.mediaType, bytes: brandImages.bytes })
    .from(brandImages)
    .where(and(eq(brandImages.orgId, orgId), eq(brandImages.name, name)))
    .get();
}

export function insertBrandImage(tx: Db, row: BrandImageRow): void {
  tx.insert(brandImages).values(row).onConflictDoNothing().run();
}

export function deleteOtherBrandImages(tx: Db, orgId: string, names: readonly string[]): void {
  tx.delete(brandImages)
    .where(and(eq(brandImages.orgId, orgId), notInArray(brandImages.name, [...names])))
    .run();
}
