import { blob, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt } from "./columns";
import { organisations } from "./people";

/** Logo and favicon, checked and cleaned; `branding.logoUrl` and `branding.faviconUrl` name them. */
export const brandImages = sqliteTable(
  "brand_images",
  {
    orgId: text("org_id")
      .notNull()
      .references(() => organisations.id),
    /** A digest of the bytes, with the extension of the media type. */
    name: text("name").notNull(),
    mediaType: text("media_type").notNull(),
    bytes: blob("bytes", { mode: "buffer" }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.name] })],
);
