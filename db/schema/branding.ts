import { blob, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt } from "./columns";
import { organisations } from "./people";

export const brandImages = sqliteTable(
  "brand_images",
  {
    orgId: text("org_id")
      .notNull()
      .references(() => organisations.id),
    name: text("name").notNull(),
    mediaType: text("media_type").notNull(),
    bytes: blob("bytes", { mode: "buffer" }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.name] })],
);
